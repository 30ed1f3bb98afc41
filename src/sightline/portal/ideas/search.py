"""Finds ideas by beginnings and parts of words, and by the nearest known word for an unknown one."""

import asyncio
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from itertools import groupby
from time import monotonic
from uuid import UUID

import msgspec

from sightline.platform.beside import Beside
from sightline.platform.db import Database, Tx, sql
from sightline.platform.db.words import apart, words_in
from sightline.platform.turns import TURN_SECONDS, OwnTurns

_MOST_WORDS = 12
_CUT_SHORT = re.compile(
    r"(?<!\w)(?:\w|qu)['\u2019](?:\w(?!\w)|(?=\w))|(?<=\w)['\u2019]\w(?!\w)", re.IGNORECASE
)  # "l'agenda", "what's", "I'm"
_SHORTEST_PART = 5
_MOST_LONGER = 20
_LONGEST_WORD = 40
_SHORTEST_CORRECTED = 4
_MOST_CORRECTED = 4  # words of a query; each is compared with all words of its length
_TWO_MISTAKES_FROM = 8  # letters
_COMPARED = 200
_KEPT_SECONDS = 60
_KEPT_WORKSPACES = 100
_MOST_KNOWN = 50_000  # words of a workspace
_MOST_KEPT = 250_000  # words of all; they take up to 80 MB
_LONGEST_KNOWN = _LONGEST_WORD + 3  # longer than any that is near a word of a query

_TITLE_WORDS = sql(
    """
    SELECT json_object_agg(left(word, :longest), ideas)::text
      FROM (SELECT word, count(*) AS ideas
              FROM (SELECT left(name, 150) AS name FROM ideas
                     WHERE workspace_id = :workspace_id AND portal_visible ORDER BY number DESC LIMIT 10000) AS newest,
                   unnest(tsvector_to_array(to_tsvector('simple', {title}))) AS word
             GROUP BY word ORDER BY ideas DESC, word LIMIT :most) AS known""",
    title=apart("name"),
)

# The shortest words that have `part` after their first letter: the search by prefixes finds words that begin with it.
# `idea_words` also has words of former texts; EXISTS leaves them out. Of very many words with the part 1,000 are looked
# at. LIMIT sorts before EXISTS is asked, so it is asked only until :most words are found.
_LONGER = sql("""
    SELECT part, word
      FROM unnest(:parts::text[]) AS part,
           LATERAL (SELECT word
                      FROM (SELECT DISTINCT word, char_length(word) FROM idea_words
                             WHERE workspace_id = :workspace_id AND strpos(word, part) > 1
                             ORDER BY char_length(word), word LIMIT 1000) AS known
                     WHERE EXISTS (SELECT FROM ideas
                                    WHERE workspace_id = :workspace_id AND portal_visible
                                      AND search @@ quote_literal(word)::tsquery)
                     LIMIT :most) AS longer""")


@dataclass(frozen=True, slots=True)
class Search:
    """The words that ideas have to have: each begins a word, or is a part of one of its `longer` words."""

    longer: Mapping[str, list[str]]

    @property
    def query(self) -> str:
        """The text for `to_tsquery('simple', ...)`."""
        return " & ".join(any_form(word, longer) for word, longer in self.longer.items())

    @property
    def pattern(self) -> re.Pattern[str]:
        """Finds the places to mark in the text of an idea: beginnings of words, the longest first, and parts."""
        parts = [word for word, longer in self.longer.items() if longer]
        return re.compile("|".join([*_by_first_letter(self.longer, at_beginning=True), *_by_first_letter(parts)]), re.I)


def _by_first_letter(words: Iterable[str], *, at_beginning: bool = False) -> list[str]:
    """Returns a pattern for each first letter. What is before that is looked at first: few letters begin a word."""
    found = []
    for first, group in groupby(sorted(words, key=lambda word: (word[0], -len(word))), key=lambda word: word[0]):
        letter = re.escape(first)
        before = f"(?<![^\\W_]{letter})" if at_beginning else ""
        found.append(f"{letter}{before}(?:{'|'.join(re.escape(word[1:]) for word in group)})")
    return found


async def search_for(tx: Tx, workspace_id: UUID, words: list[str]) -> Search | None:
    """Returns the search for these words, or None if there are none."""
    found = await find_longer(tx, workspace_id, words)
    return Search({word: found.get(word, []) for word in words}) if words else None


async def find_longer(tx: Tx, workspace_id: UUID, words: list[str]) -> dict[str, list[str]]:
    """Returns, by word, at most 20 longer words of visible ideas that have it inside, but not at their beginning.

    Words of fewer than five letters have none.
    """
    longer: dict[str, list[str]] = {}
    if parts := [word for word in words if len(word) >= _SHORTEST_PART]:
        for row in await tx.rows(_LONGER, workspace_id=workspace_id, parts=parts, most=_MOST_LONGER):
            longer.setdefault(row["part"], []).append(row["word"])
    return longer


def any_form(word: str, longer: Iterable[str]) -> str:
    """Returns a part of a query that finds words beginning with this one, and the longer words."""
    return f"({' | '.join([f'{word}:*', *map(_quoted, longer)])})"


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def words_of(text: str) -> list[str]:
    """Returns the words of a search, at most 12 of 40 characters, without the letter of "l'agenda" or "what's"."""
    whole = words_in(_CUT_SHORT.sub(" ", text))
    return list(dict.fromkeys(word[:_LONGEST_WORD] for word in whole))[:_MOST_WORDS]


class KnownWords:
    """The words of visible titles, each with the number of ideas that have it."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = counts
        self._sorted = sorted(counts)
        self._by_length: dict[int, list[tuple[int, str]]] = {}
        for word in counts:
            self._by_length.setdefault(len(word), []).append((_letters(word), word))

    def starts(self, word: str) -> bool:
        """Whether a known word starts with this one."""
        at = bisect_left(self._sorted, word)
        return at < len(self._sorted) and self._sorted[at].startswith(word)

    def nearest(self, word: str) -> str | None:
        """Returns the known word nearest to this one, the most common of several, or None if none is near.

        Near means one letter added, removed, replaced or swapped with the next; two from 8 letters on. Of very many
        words with nearly the same letters, only 200 are compared.
        """
        most = 2 if len(word) >= _TWO_MISTAKES_FROM else 1
        letters = _letters(word)
        candidates = [
            (difference, -self.counts[other], other)
            for length in range(len(word) - most, len(word) + most + 1)
            for other_letters, other in self._by_length.get(length, ())
            # A mistake adds at most one letter and removes one.
            if (difference := (letters ^ other_letters).bit_count()) <= 2 * most
        ]
        closest = nsmallest(_COMPARED, candidates)
        compared = [(_distance(word, other, most), count, other) for _, count, other in closest]
        return min((one for one in compared if one[0] <= most), default=(0, 0, None))[2]


class TitleWords:
    """The words of the visible titles of each workspace: of 10,000 titles, 150 characters each. Cached for a minute."""

    def __init__(self) -> None:
        self._kept: dict[UUID, tuple[float, KnownWords]] = {}
        self._loading = OwnTurns(1)

    async def of(self, db: Database, workspace_id: UUID) -> KnownWords:
        if (words := self._cached(workspace_id)) is not None:
            return words
        async with self._loading.of(workspace_id).turn(TURN_SECONDS):
            if (words := self._cached(workspace_id)) is None:  # else another request has loaded them meanwhile
                words = await self._load(db, workspace_id)
        return words

    def _cached(self, workspace_id: UUID) -> KnownWords | None:
        until, words = self._kept.get(workspace_id, (0.0, None))
        return words if monotonic() < until else None

    async def _load(self, db: Database, workspace_id: UUID) -> KnownWords:
        async with db.autocommit() as tx:
            counts = await tx.value(_TITLE_WORDS, workspace_id=workspace_id, most=_MOST_KNOWN, longest=_LONGEST_KNOWN)
        words = await asyncio.to_thread(_read_words, counts)
        self._kept.pop(workspace_id, None)
        kept = sum(len(known.counts) for _, known in self._kept.values())
        if len(self._kept) >= _KEPT_WORKSPACES or kept + len(words.counts) > _MOST_KEPT:
            self._kept.clear()
        self._kept[workspace_id] = monotonic() + _KEPT_SECONDS, words
        return words


def _read_words(counts: str | None) -> KnownWords:
    """Reads 50,000 words in 60 ms."""
    return KnownWords(msgspec.json.decode(counts or "{}", type=dict[str, int]))


_CORRECTIONS = Beside("corrections")


async def correct(words: list[str], known: KnownWords) -> list[str]:
    """Returns the words, with the nearest known word in place of the first four that start no known word."""
    unknown = [word for word in words if len(word) >= _SHORTEST_CORRECTED and not word.isdigit()]
    unknown = [word for word in unknown if not known.starts(word)][:_MOST_CORRECTED]
    if not unknown:
        return words
    nearest = await _CORRECTIONS.run(lambda: {word: known.nearest(word) for word in unknown})
    return [nearest.get(word) or word for word in words]


def _letters(word: str) -> int:
    """Returns a set of letters as bits; rare letters share one."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 63)
    return bits


def _distance(one: str, other: str, most: int) -> int:
    """Returns how many letters are added, removed, replaced or swapped; above `most` any larger number."""
    far = most + 1
    before: list[int] = []
    above = list(range(len(other) + 1))
    for at, letter in enumerate(one):
        row = [at + 1] + [far] * len(other)
        for place in range(max(0, at - most), min(len(other), at + far)):
            target = other[place]
            cost = min(above[place + 1] + 1, row[place] + 1, above[place] + (letter != target))
            if at and place and letter == other[place - 1] and one[at - 1] == target:
                cost = min(cost, before[place - 1] + 1)
            row[place + 1] = cost
        if min(row) > most and min(above) > most:
            return far
        before, above = above, row
    return above[-1]
