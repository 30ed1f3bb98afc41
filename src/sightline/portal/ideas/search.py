"""Finds ideas by prefixes of words, and by the nearest known word for an unknown one."""

import re
from collections.abc import Iterable, Mapping
from time import monotonic
from uuid import UUID

from sightline.platform.db import Database, sql

_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 12
_LONGEST_WORD = 40
_SHORTEST_CORRECTED = 4
_TWO_MISTAKES_FROM = 8  # letters
_KEPT_SECONDS = 60
_KEPT_WORKSPACES = 100
_MOST_KNOWN = 50_000

_TITLE_WORDS = sql("""
    SELECT word, count(*) AS ideas
      FROM ideas, unnest(tsvector_to_array(to_tsvector('simple', name))) AS word
     WHERE workspace_id = :workspace_id AND portal_visible
     GROUP BY word ORDER BY ideas DESC, word LIMIT :most""")


def words_of(text: str) -> list[str]:
    """Returns the words of a search in lower case, each once, at most 12."""
    found = (word[:_LONGEST_WORD] for word in _WORD.findall(text.lower()))
    return list(dict.fromkeys(found))[:_MOST_WORDS]


def prefix_query(words: Iterable[str], joint: str) -> str:
    """Returns a text for `to_tsquery('simple', ...)` that finds these prefixes. Words have letters and digits only."""
    return joint.join(f"{word}:*" for word in words)


class TitleWords:
    """The words of visible titles, each with the number of ideas that have it. Cached for a minute."""

    def __init__(self) -> None:
        self._kept: dict[UUID, tuple[float, Mapping[str, int]]] = {}

    async def of(self, db: Database, workspace_id: UUID) -> Mapping[str, int]:
        until, words = self._kept.get(workspace_id, (0.0, {}))
        if monotonic() < until:
            return words
        async with db.autocommit() as tx:
            rows = await tx.rows(_TITLE_WORDS, workspace_id=workspace_id, most=_MOST_KNOWN)
        words = {row["word"]: row["ideas"] for row in rows}
        if len(self._kept) >= _KEPT_WORKSPACES:
            self._kept.clear()
        self._kept[workspace_id] = monotonic() + _KEPT_SECONDS, words
        return words


def is_known(word: str, known: Mapping[str, int]) -> bool:
    """Whether a known word starts with this one."""
    return word in known or any(other.startswith(word) for other in known)


def correct(words: list[str], known: Mapping[str, int]) -> list[str]:
    """Returns the words, with the nearest known word in place of each that starts no known word.

    Near means one letter added, removed, replaced or swapped with the next; two from 8 letters on. The most common
    of several is taken.
    """
    return [_nearest(word, known) or word for word in words]


def _nearest(word: str, known: Mapping[str, int]) -> str | None:
    if len(word) < _SHORTEST_CORRECTED or word.isdigit() or is_known(word, known):
        return None
    most = 2 if len(word) >= _TWO_MISTAKES_FROM else 1
    letters = set(word)
    # A mistake adds at most one letter and removes one, so most words need no closer comparison.
    candidates = (
        (distance, -known[other], other)
        for other in known
        if abs(len(other) - len(word)) <= most and len(letters.symmetric_difference(other)) <= 2 * most
        if (distance := _distance(word, other, most)) <= most
    )
    return min(candidates, default=(0, 0, None))[2]


def _distance(one: str, other: str, most: int) -> int:
    """Returns how many letters are added, removed, replaced or swapped; above `most` any larger number."""
    before: list[int] = []
    above = list(range(len(other) + 1))
    for at, letter in enumerate(one):
        row = [at + 1]
        for place, target in enumerate(other):
            cost = min(above[place + 1] + 1, row[place] + 1, above[place] + (letter != target))
            if at and place and letter == other[place - 1] and one[at - 1] == target:
                cost = min(cost, before[place - 1] + 1)
            row.append(cost)
        if min(row) > most and min(above) > most:
            return most + 1
        before, above = above, row
    return above[-1]
