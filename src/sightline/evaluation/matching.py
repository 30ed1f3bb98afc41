"""How well an engine matches features, measured on labelled texts."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations, groupby
from typing import NamedTuple
from uuid import UUID

from msgspec import Struct

from sightline.evaluation.worlds import share
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap
from sightline.intelligence.engine import FeatureText
from sightline.platform.errors import BadRequest
from sightline.platform.json_lines import read_json_lines

BINS = 10  # of equal width, for the calibration error
RANKS = 3  # the first suggestions of a text
CLOSE = 0.1  # a smaller difference of two confidences says little
_ROUNDING = 1e-9


class LabelledFeature(Struct, frozen=True):
    """A feature of a labelled text. `id` is any text."""

    id: str
    name: str
    description: str = ""


class LabelledText(Struct, frozen=True):
    """A text, the features of its product, and the ids of the features that it is about."""

    text: str
    features: tuple[LabelledFeature, ...]
    relevant: frozenset[str]


class Finding(NamedTuple):
    """A match or a suggestion, and whether the labels agree."""

    confidence: float
    is_applied: bool
    is_right: bool


class Point(Struct):
    """Precision and recall of everything found with at least this confidence."""

    confidence: float
    precision: float
    recall: float


class Order(Struct, rename="camel"):
    """How sure the order of suggestions is. A share of nothing is null.

    `right_by_rank` has the share of right ones among all first, second and third suggestions. `right_before_wrong` is
    the share of pairs, a right and a wrong suggestion of one text, in which the right one comes first;
    `right_before_wrong_if_close` of those whose confidences differ by less than .1.
    """

    right_by_rank: list[float | None]
    pairs: int
    right_before_wrong: float | None
    close_pairs: int
    right_before_wrong_if_close: float | None


class MatchingQuality(Struct, rename="camel"):
    """The quality of matching. A share of nothing is null.

    `recall_with_suggestions` counts matches and suggestions. `applied_on_unrelated_texts` is the share of texts without
    a relevant feature that have a match. `calibration_error` is the expected difference of confidence and share of
    right ones, in ten bins. `milliseconds` is the mean time of a text, without reading the features.
    """

    texts: int
    relevant: int
    applied: int
    suggested: int
    applied_precision: float | None
    applied_recall: float | None
    suggestion_precision: float | None
    recall_with_suggestions: float | None
    unrelated_texts: int
    applied_on_unrelated_texts: float | None
    calibration_error: float | None
    milliseconds: float | None
    order: Order
    curve: list[Point]


def read_texts(name: str, lines: Iterable[bytes]) -> list[LabelledText]:
    """Reads the JSON Lines of the file called `name`. Raises BadRequest for none, and at the first wrong one."""
    texts = []
    for place, one in read_json_lines(name, lines, LabelledText):
        if unknown := one.relevant - {feature.id for feature in one.features}:
            raise BadRequest(f"{place}: no feature has the id {min(unknown)}.")
        texts.append(one)
    if not texts:
        raise BadRequest(f"{name} has no texts.")
    return texts


def evaluate_matching(
    engine: EmbeddedEngine, texts: Sequence[LabelledText], clock: Callable[[], float]
) -> MatchingQuality:
    """Matches each text and compares the result with its labels. `clock` counts seconds."""
    maps: dict[tuple[LabelledFeature, ...], EmbeddedFeatureMap] = {}
    found: list[list[Finding]] = []
    seconds = 0.0
    for one in texts:
        if one.features not in maps:
            maps[one.features] = engine.read_features(input_of(one.features))
        started = clock()
        matching = engine.match_features(one.text, maps[one.features])
        seconds += clock() - started
        right = [feature.id in one.relevant for feature in one.features]
        applied = [Finding(match.confidence, True, right[match.feature_id.int]) for match in matching.matches]
        suggested = [Finding(match.confidence, False, right[match.feature_id.int]) for match in matching.suggestions]
        found.append(applied + suggested)
    return _quality(texts, found, seconds)


def input_of(features: Iterable[LabelledFeature]) -> list[FeatureText]:
    """Returns the features with their positions as ids."""
    return [FeatureText(UUID(int=at), one.name, one.description) for at, one in enumerate(features)]


def _quality(texts: Sequence[LabelledText], found: Sequence[Sequence[Finding]], seconds: float) -> MatchingQuality:
    findings = list(chain(*found))
    relevant = sum(len(one.relevant) for one in texts)
    about_none = (held for one, held in zip(texts, found, strict=True) if not one.relevant)
    unrelated = [any(each.is_applied for each in held) for held in about_none]
    applied = [one for one in findings if one.is_applied]
    suggested = [one for one in findings if not one.is_applied]
    return MatchingQuality(
        texts=len(texts),
        relevant=relevant,
        applied=len(applied),
        suggested=len(suggested),
        applied_precision=share(_right(applied), len(applied)),
        applied_recall=share(_right(applied), relevant),
        suggestion_precision=share(_right(suggested), len(suggested)),
        recall_with_suggestions=share(_right(findings), relevant),
        unrelated_texts=len(unrelated),
        applied_on_unrelated_texts=share(sum(unrelated), len(unrelated)),
        calibration_error=_calibration_error(findings),
        milliseconds=share(seconds * 1_000, len(texts)),
        order=_order([[each for each in held if not each.is_applied] for held in found]),
        curve=_curve(findings, relevant),
    )


def _order(suggestions: Sequence[Sequence[Finding]]) -> Order:
    """Measures the order of the suggestions of each text."""
    ranks = [[held[rank] for held in suggestions if len(held) > rank] for rank in range(RANKS)]
    pairs = [pair for held in suggestions for pair in combinations(held, 2) if pair[0].is_right != pair[1].is_right]
    close = [pair for pair in pairs if pair[0].confidence - pair[1].confidence < CLOSE - _ROUNDING]
    return Order(
        right_by_rank=[share(_right(held), len(held)) for held in ranks],
        pairs=len(pairs),
        right_before_wrong=share(_right(first for first, _ in pairs), len(pairs)),
        close_pairs=len(close),
        right_before_wrong_if_close=share(_right(first for first, _ in close), len(close)),
    )


def _right(findings: Iterable[Finding]) -> int:
    return sum(one.is_right for one in findings)


def _calibration_error(findings: Sequence[Finding]) -> float | None:
    bins: dict[int, list[Finding]] = {}
    for one in findings:
        bins.setdefault(min(int(one.confidence * BINS), BINS - 1), []).append(one)
    return share(sum(abs(sum(one.confidence - one.is_right for one in held)) for held in bins.values()), len(findings))


def _curve(findings: Iterable[Finding], relevant: int) -> list[Point]:
    """Returns a point for each confidence, the highest first; empty if nothing is relevant."""
    points: list[Point] = []
    count = right = 0
    ranked = sorted(findings, key=lambda one: -one.confidence)
    for confidence, held in groupby(ranked, key=lambda one: one.confidence):
        equals = list(held)
        count, right = count + len(equals), right + _right(equals)
        if relevant:
            points.append(Point(confidence, round(right / count, 4), round(right / relevant, 4)))
    return points
