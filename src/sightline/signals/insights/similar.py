"""Insights that say nearly the same, by their words: offers for a merge, which a person decides."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from uuid import UUID

from sightline.intelligence.embedded.likeness import are_alike, telling_words
from sightline.intelligence.embedded.vocabulary import STOP_WORDS
from sightline.intelligence.embedded.words import words_of
from sightline.platform.db import Tx, sql
from sightline.signals.insights.records import Insight

MOST_SIMILAR = 3
_ALIKE = 0.5
_MOST_WORDS = 5  # that candidates are searched by: those with two of them

# A search finds at most 200; the 20 with the most of the words are compared.
_FIND = sql("""
SELECT shown.id, other.id AS other_id, other.title
  FROM unnest(:ids::uuid[], :searches::text[]) AS shown (id, search)
 CROSS JOIN LATERAL (
       SELECT found.id, found.title
         FROM (SELECT id, title, ts_rank(search, websearch_to_tsquery('simple', shown.search)) AS rank FROM insights
                WHERE workspace_id = :workspace_id AND search @@ websearch_to_tsquery('simple', shown.search)
                  AND id <> shown.id AND review_state NOT IN ('rejected', 'merged') LIMIT 200) AS found
        ORDER BY found.rank DESC, found.id LIMIT 20) AS other""")


async def find_similar(tx: Tx, workspace_id: UUID, insights: Sequence[Insight]) -> dict[UUID, list[UUID]]:
    """Returns up to three similar insights of each, the most similar first; rejected and merged ones have none."""
    titles = {one.id: one.title for one in insights if one.review_state not in ("rejected", "merged")}
    searches = {id: search for id, title in titles.items() if (search := _search(title))}
    if not searches:
        return {}
    values = {"ids": list(searches), "searches": list(searches.values())}
    alike: dict[UUID, list[tuple[float, UUID]]] = defaultdict(list)
    for row in await tx.rows(_FIND, workspace_id=workspace_id, **values):
        words, others = telling_words(titles[row["id"]]), telling_words(row["title"])
        if are_alike(words, others, _ALIKE):
            alike[row["id"]].append((-len(words & others) / len(words | others), row["other_id"]))
    return {id: [other for _, other in sorted(found)[:MOST_SIMILAR]] for id, found in alike.items()}


def _search(title: str) -> str:
    """Returns the search for two of the longest words; for the word if there is one, empty if there is none."""
    words = {word for word in words_of(title) if word not in STOP_WORDS}
    longest = sorted(words, key=lambda word: (-len(word), word))[:_MOST_WORDS]
    if len(longest) < 2:
        return " ".join(f'"{word}"' for word in longest)
    return " or ".join(f'"{one}" "{other}"' for one, other in combinations(longest, 2))
