"""Finding ideas similar to a new request."""

import re
from collections.abc import Iterable, Mapping
from unicodedata import normalize
from uuid import UUID

from sightline.intelligence.embedded.meaning import OF_REQUESTS, closest, lexicon, meaning_of, search_for
from sightline.intelligence.embedded.words import words_of
from sightline.platform.beside import Beside
from sightline.platform.db import sql
from sightline.platform.db.words import apart
from sightline.portal.ideas.queries import ShownIdea, find_by_ids
from sightline.portal.ideas.search import KnownWords, any_form, correct, find_longer
from sightline.portal.visits import Visit

SHORTEST = 3  # characters
_SIMILAR = Beside("similar-requests")
_CANDIDATES = 200
_MOST_CORRECTED = 12  # words of a title

# Descriptions are searched as well, so that many are found of which few have the words in the title.
_BY_WORDS = sql(
    """
    SELECT id, name
      FROM (SELECT id, name FROM ideas
             WHERE workspace_id = :workspace_id AND portal_visible AND search @@ to_tsquery('simple', :words)
             LIMIT 2000) AS found
     WHERE to_tsvector('simple', {name}) @@ to_tsquery('simple', :words)
     ORDER BY ts_rank(to_tsvector('simple', {name}), to_tsquery('simple', :words)) DESC, id LIMIT :most""",
    name=apart("name"),
)


async def find_similar(visit: Visit, title: str) -> list[ShownIdea]:
    """Returns at most five visible ideas whose titles ask for much the same, the closest first.

    Words may be misspelt, parts of compounds, or replaced by synonyms. A single shared word is not enough.
    """
    if len(title.strip()) < SHORTEST:
        return []
    workspace_id = visit.portal.workspace_id
    known = await visit.site.title_words.of(visit.db, workspace_id)
    asked = await _corrected(normalize("NFC", title), known)
    async with visit.db.autocommit() as tx:
        longer = await find_longer(tx, workspace_id, words_of(asked)[:_MOST_CORRECTED])
    terms = meaning_of(asked)
    words = await _SIMILAR.run(search_for, terms, lambda word: word in longer or known.starts(word))
    if not words:
        return []
    query = _with_longer(words, longer)
    async with visit.db.autocommit() as tx:
        rows = await tx.rows(_BY_WORDS, workspace_id=workspace_id, words=query, most=_CANDIDATES)
    ids = await _SIMILAR.run(_closest, asked, [(row["id"], row["name"]) for row in rows], longer)
    async with visit.db.autocommit() as tx:
        return await find_by_ids(tx, workspace_id, ids, visit.user.id)


def _with_longer(query: str, longer: Mapping[str, list[str]]) -> str:
    """Returns the query, with the compounds of a word beside its beginning."""
    return re.sub(r"([^\s()]+):\*", lambda found: any_form(found[1], longer.get(found[1], ())), query)


def _closest(asked: str, names: Iterable[tuple[UUID, str]], parts: Iterable[str]) -> list[UUID]:
    """Returns the ids of the closest names, in which these parts of words count as words."""
    return closest(asked, [(id, _apart(name, parts)) for id, name in names], OF_REQUESTS)


def _apart(name: str, parts: Iterable[str]) -> str:
    """Returns a title with spaces around these parts of its words."""
    for part in parts:
        name = re.sub(re.escape(part), r" \g<0> ", name, flags=re.I)
    return name


async def _corrected(title: str, known: KnownWords) -> str:
    """Returns the words of the title, with the nearest word of a title in place of each that nobody knows."""
    words = words_of(title)
    unknown = [word for word in dict.fromkeys(words) if not lexicon().groups_of(word)][:_MOST_CORRECTED]
    nearest = dict(zip(unknown, await correct(unknown, known), strict=True))
    return " ".join(nearest.get(word, word) for word in words)
