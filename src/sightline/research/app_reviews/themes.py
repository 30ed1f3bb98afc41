"""Themes of an app's new reviews: words and pairs of words that are more frequent in them than in the background.

The background is all other reviews of the run: those of other apps, and earlier ones of this app. The score of a term
is the log-likelihood ratio of its frequencies in both. A term counts as being in at most 5 % of the background, so a
complaint about all apps is still a theme. With fewer than 20 new reviews, or 20 in the background, the score is the
number of new reviews with the term. The mean stars of a theme's reviews show praise or complaint; with fewer than 20
new reviews a theme has none.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, STOP_WORDS, words_in
from sightline.intelligence.embedded.words import fold, words_of
from sightline.research.runs.records import ReviewTheme
from sightline.sources.languages import language_of, stop_words

MOST_THEMES: Final = 15
MOST_CHARACTERS: Final = 6_000  # of a review
FEWEST_REVIEWS: Final = 20  # new reviews for a score by frequency, and for stars
FEWEST_COMPARED: Final = 20  # reviews of the background for a score by frequency
LEAST_COUNT: Final = 3  # reviews with a theme
LEAST_COUNT_OF_FEW: Final = 2  # the same with fewer than FEWEST_REVIEWS
MOST_SHARED: Final = 0.05  # the largest share of the background that a term counts as having
LEAST_RATIO: Final = 3.84  # the score that 5 of 100 terms reach by chance
LABELLED_BY: Final = 20  # reviews whose most frequent spelling of a term is its label
SUBSUMED: Final = 0.75  # share of a term's reviews that have another term too, which replaces it

Term = tuple[str, ...]

_CLAUSE: Final = re.compile(r"[.!?;:,()\[\]\"\n\r\t\u2026\u2013\u2014/]+")
_EMPTY: Final = frozenset(fold(word) for word in GENERIC_WORDS | words_in("judgements"))


class ReadReview(NamedTuple):
    """A review as it is stored; `is_new` since the previous run."""

    id: UUID
    app: str
    label: str
    rating: float | None
    text: str
    is_new: bool


class AppThemes(NamedTuple):
    """The themes of an app's new reviews; `is_compared` unless there was too little to compare them with."""

    app: str
    new_reviews: int
    themes: list[ReviewTheme]
    is_compared: bool


def themes_of(apps: Iterable[str], reviews: Sequence[ReadReview]) -> list[AppThemes]:
    """At most 15 themes of each app, the most telling first. `reviews` are the reviews of all apps of a run."""
    stop = _stop_words(reviews)
    terms = [{term: None for term, _ in _terms_in(review.text, stop)} for review in reviews]
    return [_AppReading(app, reviews, terms, stop).themes() for app in apps]


def _terms_in(text: str, stop: frozenset[str]) -> Iterator[tuple[Term, str]]:
    """Yields the words and pairs of words of a text that may be themes, each with its spelling."""
    for clause in _CLAUSE.split(text):
        before: tuple[str, str] | None = None
        for word in words_of(clause):
            stem = None if word in stop or word.isdigit() or len(word) < 2 else fold(word)
            if stem is None:
                before = None
                continue
            if _counts(stem):
                yield (stem,), word
            if before is not None and before[0] != stem and (_counts(stem) or _counts(before[0])):
                yield (before[0], stem), f"{before[1]} {word}"
            before = stem, word


def _counts(stem: str) -> bool:
    return stem not in _EMPTY and len(stem) > 2


class _AppReading(NamedTuple):
    """The reviews of a run as one app sees them: its new ones, and all others to compare with."""

    app: str
    reviews: Sequence[ReadReview]
    terms: Sequence[Mapping[Term, None]]
    stop: frozenset[str]

    def themes(self) -> AppThemes:
        new = [n for n, one in enumerate(self.reviews) if one.app == self.app and one.is_new]
        compared = [n for n, one in enumerate(self.reviews) if not (one.app == self.app and one.is_new)]
        found = self._places(new)
        is_few = len(new) < FEWEST_REVIEWS
        if is_few or len(compared) < FEWEST_COMPARED:
            least = LEAST_COUNT_OF_FEW if is_few else LEAST_COUNT
            scores = {term: float(len(places)) for term, places in found.items() if len(places) >= least}
        else:
            others = Counter(term for n in compared for term in self.terms[n])
            scores = _standing_out(found, len(new), others, len(compared))
        chosen = _without_repetitions(scores, found)
        themes = [self._theme(term, found[term], is_rated=not is_few) for term in chosen]
        return AppThemes(self.app, len(new), themes, is_compared=len(compared) >= FEWEST_COMPARED)

    def _places(self, new: Sequence[int]) -> dict[Term, list[int]]:
        """The terms of the new reviews with the places of the reviews that have them, without the app's own name."""
        name = _name_of(self.reviews[new[0]].label) if new else frozenset()
        found: defaultdict[Term, list[int]] = defaultdict(list)
        for place in new:
            for term in self.terms[place]:
                if not all(stem in name or not _counts(stem) for stem in term):
                    found[term].append(place)
        return dict(found)

    def _theme(self, term: Term, places: Sequence[int], *, is_rated: bool) -> ReviewTheme:
        reviews = [self.reviews[place] for place in places]
        written = Counter(
            text for one in reviews[:LABELLED_BY] for found, text in _terms_in(one.text, self.stop) if found == term
        )
        label = min(written.items(), key=lambda one: (-one[1], one[0]))[0]
        stars = [one.rating for one in reviews if one.rating is not None] if is_rated else []
        average = round(sum(stars) / len(stars), 2) if stars else None
        return ReviewTheme(label, len(reviews), average, [one.id for one in reviews])


def _stop_words(reviews: Sequence[ReadReview]) -> frozenset[str]:
    language = language_of(" ".join(one.text[:400] for one in reviews[:50]))
    return STOP_WORDS | (stop_words(language) if language not in (None, "en") else frozenset())


def _name_of(label: str) -> frozenset[str]:
    """The words of an app's name, without what stands behind a dash or a colon."""
    name = re.split(r"\s[-\u2013\u2014|]\s|:", label)[0]
    return frozenset(fold(word) for word in words_of(name))


def _standing_out(
    new: Mapping[Term, list[int]], new_count: int, compared: Mapping[Term, int], compared_count: int
) -> dict[Term, float]:
    scores = {}
    for term, found in new.items():
        others = min(compared.get(term, 0), MOST_SHARED * compared_count)
        if len(found) >= LEAST_COUNT and len(found) * compared_count > others * new_count:
            ratio = _likelihood_ratio(len(found), new_count, others, compared_count)
            if ratio >= LEAST_RATIO:
                scores[term] = ratio
    return scores


def _likelihood_ratio(a: int, n: int, b: float, m: int) -> float:
    """Twice the log-likelihood ratio of `a` of `n` against `b` of `m`, both shares being free or the same."""
    same = (a + b) / (n + m)
    free = _log_likelihood(a, n, a / n) + _log_likelihood(b, m, b / m)
    return 2 * (free - _log_likelihood(a, n, same) - _log_likelihood(b, m, same))


def _log_likelihood(count: float, total: int, share: float) -> float:
    yes = count * math.log(share) if count else 0.0
    no = (total - count) * math.log(1 - share) if total > count else 0.0
    return yes + no


def _without_repetitions(scores: dict[Term, float], terms: dict[Term, list[int]]) -> list[Term]:
    """Returns at most 15 terms by score, the highest first; equal scores by their number of reviews.

    Leaves out, in this order: words that a scored pair subsumes (75 % of their reviews have it); pairs with a remaining
    word that scores at least as high; terms that a better term with one of their words subsumes.
    """
    pairs = [term for term in scores if len(term) == 2]
    gone = {(word,) for pair in pairs for word in pair if _is_subsumed((word,), pair, terms)}
    left = {term: score for term, score in scores.items() if term not in gone}
    left = {
        term: score
        for term, score in left.items()
        if len(term) == 1 or all(score > left.get((word,), 0.0) for word in term)
    }
    chosen: list[Term] = []
    for term in sorted(left, key=lambda term: (-left[term], -len(terms[term]))):
        if not any(_is_subsumed(term, other, terms) for other in chosen if set(term) & set(other)):
            chosen.append(term)
            if len(chosen) == MOST_THEMES:
                break
    return chosen


def _is_subsumed(term: Term, other: Term, terms: dict[Term, list[int]]) -> bool:
    """Whether 75 % of the reviews with the term have the other one too."""
    found = terms.get(term, [])
    return len(set(found).intersection(terms[other])) >= SUBSUMED * len(found)
