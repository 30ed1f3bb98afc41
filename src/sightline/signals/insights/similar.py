"""Insights that say much the same: offers for a merge, which a person decides."""

from collections.abc import Collection, Sequence
from functools import partial
from itertools import chain, combinations
from uuid import UUID

from sightline.intelligence.embedded.meaning import OF_INSIGHTS, closest
from sightline.intelligence.embedded.vocabulary import STOP_WORDS
from sightline.intelligence.embedded.words import words_of
from sightline.platform.beside import Beside
from sightline.platform.db import Database, Row, sql
from sightline.platform.db.words import apart
from sightline.platform.wire import Page
from sightline.signals.insights.in_use import IN_USE, UNUSED
from sightline.signals.insights.records import Insight

_SIMILAR = Beside("similar-insights")
_AT_ONCE = 5  # insights, before others have their turn
_MOST_WORDS = 5  # that candidates are searched by: those with two of them
_MOST_COMMON = 500  # insights with a word: two more common words are not searched for

# A search finds at most 200; the 20 with the most of the words are compared.
_FIND = sql(
    """
SELECT shown.id, other.id AS other_id, other.title
  FROM unnest(:ids::uuid[], :categories::text[], :searches::text[]) AS shown (id, category, search)
 CROSS JOIN LATERAL (
       SELECT found.id, found.title
         FROM (SELECT id, title, ts_rank(search, websearch_to_tsquery('simple', {words})) AS rank FROM insights
                WHERE workspace_id = :workspace_id AND search @@ websearch_to_tsquery('simple', {words})
                  AND category = shown.category AND id <> shown.id
                  AND {in_use} LIMIT 200) AS found
        ORDER BY found.rank DESC, found.id LIMIT 20) AS other""",
    in_use=IN_USE,
    words=apart("shown.search"),
)
# The newest insights, and the rare ones of the words. Synonyms of five words are too many for a search of each insight:
# they are looked for among the newest.
_NEWEST_AND_RARE = sql(
    """
(SELECT id, title, category, NULL AS word FROM insights
  WHERE workspace_id = :workspace_id AND {in_use}
  ORDER BY created_at DESC, id DESC LIMIT 200)
UNION ALL
SELECT NULL, NULL, NULL, word FROM unnest(:words::text[]) AS word
 WHERE (SELECT count(*)
          FROM (SELECT FROM insights
                 WHERE workspace_id = :workspace_id AND search @@ plainto_tsquery('simple', {word})
                 LIMIT :most + 1) AS found) <= :most""",
    in_use=IN_USE,
    word=apart("word"),
)


async def add_similar(db: Database, workspace_id: UUID, insights: Sequence[Insight]) -> None:
    """Gives each insight up to three similar ones of the same category, the most similar first.

    Compares those with the same words, at least one of them in at most 500 insights, and the newest 200. Rejected and
    merged ones have none. May take seconds for long titles, in steps that hold a connection for a moment.
    """
    shown = [one for one in insights if one.review_state not in UNUSED]
    if not shown:
        return
    words = await _SIMILAR.run(lambda: {one.id: _longest_words(one.title) for one in shown})
    distinct, newest = list({*chain(*words.values())}), list[Row]()
    for start in range(0, len(shown), _AT_ONCE):
        some = shown[start : start + _AT_ONCE]
        async with db.autocommit() as tx:
            newest = newest or await tx.rows(
                _NEWEST_AND_RARE, workspace_id=workspace_id, words=distinct, most=_MOST_COMMON
            )
            rare = {row["word"] for row in newest if row["word"]}
            values = {
                "ids": [one.id for one in some],
                "categories": [one.category for one in some],
                "searches": [_search(words[one.id], rare) for one in some],
            }
            found = await tx.rows(_FIND, workspace_id=workspace_id, **values)
        await _SIMILAR.run(_compare, some, newest, found)


async def add_similar_to_page(db: Database, workspace_id: UUID, page: Page[Insight]) -> None:
    """Likewise for a page; its large insights get theirs when they are read."""
    await add_similar(db, workspace_id, page.items)
    if page.rest:
        page.rest.complete = partial(add_similar, db, workspace_id)


def _compare(some: Sequence[Insight], newest: Sequence[Row], found: Sequence[Row]) -> None:
    for one in some:
        others = {row["id"]: row["title"] for row in newest if row["category"] == one.category}
        others |= {row["other_id"]: row["title"] for row in found if row["id"] == one.id}
        others.pop(one.id, None)
        one.similar_insight_ids = closest(one.title, others.items(), OF_INSIGHTS)


def _longest_words(title: str) -> list[str]:
    words = {word for word in words_of(title) if word not in STOP_WORDS}
    return sorted(words, key=lambda word: (-len(word), word))[:_MOST_WORDS]


def _search(words: Sequence[str], rare: Collection[str]) -> str:
    """Returns the search for two of the words, one of them rare; for a rare word that is alone, empty if none is."""
    if len(words) < 2:
        return " ".join(f'"{word}"' for word in words if word in rare)
    return " or ".join(f'"{one}" "{other}"' for one, other in combinations(words, 2) if one in rare or other in rare)
