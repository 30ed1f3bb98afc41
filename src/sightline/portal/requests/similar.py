"""Finding ideas similar to a new request."""

from collections.abc import Collection

from sightline.platform.db import sql
from sightline.platform.db.words import apart, beginnings_query
from sightline.portal.ideas.queries import find_by_ids
from sightline.portal.ideas.records import ShownIdea
from sightline.portal.ideas.search import KnownWords, correct, words_of
from sightline.portal.visits import Visit

MOST = 5
SHORTEST = 3  # characters
_CANDIDATES = 50
_MOST_SEARCHED = 6  # words of a title
_VERY_MANY = 500  # titles: ranking more would be slow
_LEAST_SHARED = 2  # words: one alone is often what all ideas of a product are about
_LEAST_SHARE = 0.5  # of the words of both titles
_DICTIONARIES = {"de": "german"}  # of PostgreSQL, which leaves out stop words and endings

_BY_WORDS = sql(
    """
    SELECT id, tsvector_to_array(to_tsvector(:dictionary::text::regconfig, {name})) AS words,
           tsvector_to_array(to_tsvector(:dictionary::text::regconfig, :title)) AS asked
      FROM (SELECT id, name FROM ideas
             WHERE workspace_id = :workspace_id AND portal_visible AND search @@ to_tsquery('simple', :words)
             ORDER BY ts_rank(search, to_tsquery('simple', :words)) DESC, vote_count DESC, number DESC
             LIMIT :most) AS candidate""",
    name=apart("name"),
)


async def find_similar(visit: Visit, title: str) -> list[ShownIdea]:
    """Returns at most five visible ideas whose titles say much the same by their words, the closest first.

    Words may be misspelt. A single shared word is not enough.
    """
    if len(title.strip()) < SHORTEST:
        return []
    workspace_id = visit.portal.workspace_id
    known = await visit.site.title_words.of(visit.db, workspace_id)
    corrected = await correct(words_of(title), known)
    words = _telling(corrected, known)
    if not words:
        return []
    async with visit.db.autocommit() as tx:
        rows = await tx.rows(
            _BY_WORDS,
            workspace_id=workspace_id,
            words=beginnings_query(words, " | "),
            most=_CANDIDATES,
            title=" ".join(corrected),
            dictionary=_DICTIONARIES.get(visit.portal.language.partition("-")[0], "english"),
        )
        shares = [(_share(row["asked"], row["words"]), row["id"]) for row in rows]
        best = sorted((pair for pair in shares if pair[0] > 0), key=lambda pair: -pair[0])[:MOST]
        return await find_by_ids(tx, workspace_id, [id for _, id in best], visit.user.id)


def _telling(words: list[str], known: KnownWords) -> list[str]:
    """Returns the rarest of the words that titles have; one in very many titles only if there are no others."""
    written = [word for word in words if len(word) > 2 and known.starts(word)]
    rarest = sorted(written, key=lambda word: known.counts.get(word, 0))
    telling = [word for word in rarest if known.counts.get(word, 0) <= _VERY_MANY]
    return (telling or rarest[:1])[:_MOST_SEARCHED]


def _share(words: Collection[str], others: Collection[str]) -> float:
    """Returns the share of words of two titles that are in both; 0 if too few are, or neither has half."""
    shared = len(set(words) & set(others))
    share = 2 * shared / max(1, len(words) + len(others))
    is_enough = share >= _LEAST_SHARE or shared == min(len(words), len(others))
    return share if shared >= _LEAST_SHARED and is_enough else 0.0
