"""Finding ideas similar to a new request."""

from math import log

from sightline.platform.db import sql
from sightline.portal.ideas.queries import find_by_ids
from sightline.portal.ideas.records import ShownIdea
from sightline.portal.ideas.search import KnownWords, correct, prefix_query, words_of
from sightline.portal.visits import Visit

MOST = 5
SHORTEST = 3  # characters
_CANDIDATES = 50
_MOST_SEARCHED = 6  # words of a title
_VERY_MANY = 500  # titles: ranking more would be slow
_LEAST_SHARED = 0.3  # of the title, by weight

_BY_WORDS = sql("""
    SELECT id, name FROM ideas
     WHERE workspace_id = :workspace_id AND portal_visible AND search @@ to_tsquery('simple', :words)
     ORDER BY ts_rank(search, to_tsquery('simple', :words)) DESC, vote_count DESC, number DESC LIMIT :most""")


async def find_similar(visit: Visit, title: str) -> list[ShownIdea]:
    """Returns at most five visible ideas that share words with the title, misspelt or not, the closest first."""
    if len(title.strip()) < SHORTEST:
        return []
    workspace_id = visit.portal.workspace_id
    known = await visit.site.title_words.of(visit.db, workspace_id)
    words = _telling(await correct(words_of(title), known), known)
    if not words:
        return []
    async with visit.db.autocommit() as tx:
        rows = await tx.rows(_BY_WORDS, workspace_id=workspace_id, words=prefix_query(words, " | "), most=_CANDIDATES)
        weighed = [(_weight(words, row["name"], known), row["id"]) for row in rows]
        best = sorted((pair for pair in weighed if pair[0] > 0), key=lambda pair: -pair[0])[:MOST]
        return await find_by_ids(tx, workspace_id, [id for _, id in best], visit.user.id)


def _telling(words: list[str], known: KnownWords) -> list[str]:
    """Returns the rarest of the words that titles have; one in very many titles only if there are no others."""
    written = [word for word in words if len(word) > 2 and known.starts(word)]
    rarest = sorted(written, key=lambda word: known.counts.get(word, 0))
    telling = [word for word in rarest if known.counts.get(word, 0) <= _VERY_MANY]
    return (telling or rarest[:1])[:_MOST_SEARCHED]


def _weight(words: list[str], name: str, known: KnownWords) -> float:
    """Returns how much of the title is in the name, where rare words count more. 0 if too little."""
    written = words_of(name)
    total = known.total + 1
    weights = {word: log(total / (known.counts.get(word, 0) + 1)) + 0.01 for word in words}
    shared = sum(weight for word, weight in weights.items() if any(one.startswith(word) for one in written))
    return shared if shared >= _LEAST_SHARED * sum(weights.values()) else 0.0
