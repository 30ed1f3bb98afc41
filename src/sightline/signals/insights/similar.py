"""Insights that say much the same: offers for a merge, which a person decides."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, combinations
from uuid import UUID

from sightline.intelligence.embedded.meaning import OF_INSIGHTS, closest
from sightline.intelligence.embedded.vocabulary import STOP_WORDS
from sightline.intelligence.embedded.words import words_of
from sightline.platform.beside import Beside
from sightline.platform.db import Tx, sql
from sightline.platform.db.words import apart
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


async def find_similar(tx: Tx, workspace_id: UUID, insights: Sequence[Insight]) -> dict[UUID, list[UUID]]:
    """Returns up to three similar insights of the same category, the most similar first, by insight.

    Compares those with the same words, at least one of them in at most 500 insights, and the newest 200. Rejected and
    merged ones have none.
    """
    shown = [one for one in insights if one.review_state not in UNUSED]
    if not shown:
        return {}
    words = [_longest_words(one.title) for one in shown]
    distinct = list({*chain(*words)})
    rows = await tx.rows(_NEWEST_AND_RARE, workspace_id=workspace_id, words=distinct, most=_MOST_COMMON)
    rare = {row["word"] for row in rows if row["word"]}
    values = {
        "ids": [one.id for one in shown],
        "categories": [one.category for one in shown],
        "searches": [_search(longest, rare) for longest in words],
    }
    found: dict[UUID, dict[UUID, str]] = {
        one.id: {row["id"]: row["title"] for row in rows if row["category"] == one.category} for one in shown
    }
    for row in await tx.rows(_FIND, workspace_id=workspace_id, **values):
        found[row["id"]][row["other_id"]] = row["title"]
    for one in shown:
        found[one.id].pop(one.id, None)
    similar = dict[UUID, list[UUID]]()
    for start in range(0, len(shown), _AT_ONCE):
        titles = {one.id: one.title for one in shown[start : start + _AT_ONCE]}
        similar |= await _SIMILAR.run(_closest, titles, found)
    return similar


def _closest(titles: Mapping[UUID, str], others: Mapping[UUID, Mapping[UUID, str]]) -> dict[UUID, list[UUID]]:
    return {id: closest(title, others[id].items(), OF_INSIGHTS) for id, title in titles.items()}


def _longest_words(title: str) -> list[str]:
    words = {word for word in words_of(title) if word not in STOP_WORDS}
    return sorted(words, key=lambda word: (-len(word), word))[:_MOST_WORDS]


def _search(words: Sequence[str], rare: Collection[str]) -> str:
    """Returns the search for two of the words, one of them rare; for a rare word that is alone, empty if none is."""
    if len(words) < 2:
        return " ".join(f'"{word}"' for word in words if word in rare)
    return " or ".join(f'"{one}" "{other}"' for one, other in combinations(words, 2) if one in rare or other in rare)
