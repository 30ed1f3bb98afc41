"""Fits the numbers of feature matching, and measures them on families of texts that they were not fitted to.

    python -m tools.fit_matching FOLDER            writes src/sightline/intelligence/embedded/matching.json
    python -m tools.fit_matching FOLDER --measure  prints the table of docs/decisions/0022-matching.md; writes nothing

FOLDER has the public data sets (`tools/matching/texts.py` says which). The same data give the same file.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from sightline.evaluation.matching import LabelledFeature, LabelledText, evaluate_matching, input_of
from sightline.intelligence.embedded import decision, embedded_engine
from sightline.intelligence.embedded.decision import DECISION, Ground, GroundModel, Model, Signal
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, read_features
from sightline.intelligence.embedded.matching import is_unclear, read_words, weigh_text
from sightline.intelligence.embedded.mentions import read_mentions
from sightline.intelligence.embedded.scoring import Evidence, find_names
from sightline.intelligence.embedded.sentences import read_sentences
from tools.matching.regression import Row, fit
from tools.matching.texts import IDEAS, MADE, PARTIAL, REQUESTS, REVIEWS, Families, read_families

UNCERTAIN: Final = 0.24
PRECISION: Final = 0.9  # of what is applied, in every family that is left out
MARGIN: Final = 0.04  # more on the families that the numbers are fitted to
MOST_ON_UNRELATED: Final = 0.01
CHOICES: Final = tuple(hundredths / 100 for hundredths in range(60, 100))
COUNTS: Final = {REVIEWS: 2.0, REQUESTS: 0.2}  # others once. Every request has a trap: that is not how people write
MOST_ROWS: Final = 1_500  # of a family and a ground
FULL_WEIGHT: Final = 200  # a family with fewer rows of a ground counts less
FILE: Final = Path(decision.__file__).with_name("matching.json")
ABOUT: Final = (
    "Written by tools/fit_matching.py. The probability that a text speaks of a feature is 1 / (1 + exp(-t)), where t is"
    " the constant plus the sum of weight times signal. There is one set of numbers for each ground: all words of a"
    " name in one sentence, a name of one word, and words of name and description in the whole text. The highest"
    " probability counts. From `clear` on a match is applied, from `uncertain` on it is suggested."
)
# The signals of each ground, in the order of a tuple of values.
SIGNALS: Final[dict[Ground, tuple[str, ...]]] = {
    "name": ("rarity", "apart", "other_forms", "common_words", "shared", "contained", "tied", "holders", "crowding"),
    "word": ("shared", "crowding", "content"),
    "text": ("rarest", "description", "lead"),
}
WHY: Final = {
    "rarity": "Sum of the weights of the words: 1 for a word of one feature of the map, less for one of several.",
    "apart": "Logarithm of the number of other words between the words of the name.",
    "other_forms": "Share of the words in another form than in the name: exporting for export.",
    "common_words": "1 if at most one word of the name tells it from most features of the map.",
    "description": "Sum of the weights of the words of the description in the text.",
    "shared": "Largest share of the weight of the name's words that another name has; 0 with words of the description.",
    "contained": "1 if another name has all words of this one, and no word of the description is there.",
    "tied": "Logarithm of the number of other features of whose names the sentence says as much.",
    "holders": "Logarithm of the number of names with the rarest word of the name.",
    "crowding": "Share of the words of a name that other names have too, mean of the map: low if names are concrete.",
    "content": "Logarithm of the number of words of the sentence, without small words, at most 5.",
    "rarest": "Weight of the rarest word of the name that is in the text.",
    "lead": "How much more the feature's words in the text weigh than those of the strongest other; below 0 if less.",
}


class Example(NamedTuple):
    """Signals of a text for a feature, and whether the label agrees. `text` is its number.

    `is_named` if a sentence has the whole name; `as_word` are then the signals of the ground `word`.
    """

    ground: Ground
    values: tuple[float, ...]
    is_right: bool
    text: int
    is_unrelated: bool
    is_unclear: bool = False
    is_named: bool = False
    as_word: tuple[float, ...] = ()


class Variant(NamedTuple):
    """The examples of a variant of a family, and the number of its texts about no feature."""

    examples: list[Example]
    unrelated: int


Variants = dict[tuple[str, str], Variant]


def main() -> None:
    words = argparse.ArgumentParser(description="Fits the numbers of feature matching.")
    words.add_argument("folder", type=Path, help="has the public data sets")
    words.add_argument("--measure", action="store_true", help="measure on left-out families; write nothing")
    chosen = words.parse_args()
    families = read_families(chosen.folder)
    variants = read_variants(families)
    if chosen.measure:
        sys.stdout.writelines(measure(families, variants))
    else:
        FILE.write_text(written(model_of(variants)), encoding="utf-8")


def read_variants(families: Families) -> Variants:
    """Returns the variants that are fitted to: all but those with a part of the features, whose labels are unsure."""
    numbers = count()
    return {
        (family, name): Variant(list(read_examples(texts, numbers)), sum(not one.relevant for one in texts))
        for family, variants in families.items()
        for name, texts in variants.items()
        if name != PARTIAL
    }


def read_examples(texts: Iterable[LabelledText], numbers: Iterator[int]) -> Iterator[Example]:
    """Yields for each text and feature the heaviest whole name in a sentence, and the words in the whole text."""
    maps: dict[tuple[LabelledFeature, ...], EmbeddedFeatureMap] = {}
    for number, one in zip(numbers, texts, strict=False):
        if one.features not in maps:
            maps[one.features] = read_features(input_of(one.features))
        features = maps[one.features]
        read = [(sentence, read_mentions(sentence, features)) for sentence in read_sentences(one.text)]
        best: dict[int, Evidence] = {}
        for sentence, mentions in read:
            for place, name in find_names(sentence, mentions, features):
                if place not in best or name.weight > best[place].weight:
                    best[place] = name
        right = [feature.id in one.relevant for feature in one.features]
        for place, name in best.items():
            is_held_back = name.is_unclear or name.has_twin
            yield Example(
                name.ground, name.values, right[place], number, not one.relevant, is_held_back, True, name.as_word
            )
        words = read_words(mentions for _, mentions in read)
        for place, values in weigh_text(words, features):
            is_held_back = is_unclear(features.features[place], words) or place in best
            yield Example("text", values, right[place], number, not one.relevant, is_held_back, place in best)


def model_of(variants: Variants, left_out: Sequence[str] = (), left_out_variants: Sequence[str] = ()) -> Model:
    """Fits each ground to all families but those left out, and chooses on the same families what is clear."""
    kept: dict[str, list[Variant]] = {}
    for (family, name), one in variants.items():
        if family not in left_out and name not in left_out_variants:
            kept.setdefault(family, []).append(one)
    examples = {family: [each for one in held for each in one.examples] for family, held in kept.items()}
    model = Model(ABOUT, 1.0, UNCERTAIN, {ground: _ground(ground, examples) for ground in SIGNALS})
    natural = {family: held for family, held in kept.items() if family not in (REQUESTS, IDEAS)}
    model.clear = choose_clear(model, list(natural.values()))
    return model


def _ground(ground: Ground, examples: Mapping[str, Sequence[Example]]) -> GroundModel:
    """Returns the numbers of a ground; each family counts alike.

    Names of one word are fitted together with longer ones, and a constant that only they have: what a crowded map is
    like is seen there.
    """
    rows: list[Row] = []
    for family, found in examples.items():
        if ground == "word":
            chosen = [one for one in found if one.as_word]
            values = [(*one.as_word, float(one.ground == ground)) for one in chosen]
        else:
            chosen = [one for one in found if one.ground == ground and one.is_named == (ground == "name")]
            values = [one.values for one in chosen]
        labels = [one.is_right for one in chosen]
        rows += _weighted(values, labels, COUNTS.get(family, 1.0))
    constant, *weights = fit(rows)
    if ground == "word":
        constant += weights.pop()
    signals = {name: Signal(round(one, 3), WHY[name]) for name, one in zip(SIGNALS[ground], weights, strict=True)}
    return GroundModel(round(constant, 3), signals)


def _weighted(values: Sequence[tuple[float, ...]], labels: Sequence[bool], counts: float) -> Iterator[Row]:
    step = max(1, len(values) // MOST_ROWS)
    thinned = list(zip(values, labels, strict=True))[::step]
    total = 1_000 * min(1.0, len(values) / FULL_WEIGHT) * counts
    for one, is_right in thinned:
        yield Row(one, is_right, total / len(thinned))


def choose_clear(model: Model, families: Sequence[Sequence[Variant]]) -> float:
    """Returns the lowest limit that keeps every family right and unrelated texts free, with a margin; .99 if none does.

    The families are those that the numbers were fitted to, so the precision has to be higher there than elsewhere.
    """
    certain = [
        [
            (model.probability(one.ground, one.values), one)
            for variant in family
            for one in variant.examples
            if not one.is_unclear
        ]
        for family in families
    ]
    unrelated = [sum(variant.unrelated for variant in family) for family in families]
    for limit in CHOICES:
        applied = [[one for confidence, one in family if confidence >= limit] for family in certain]
        if all(map(_is_good, applied, unrelated)):
            return limit
    return CHOICES[-1]


def _is_good(applied: Sequence[Example], unrelated: int) -> bool:
    right = sum(one.is_right for one in applied)
    wrongly = len({one.text for one in applied if one.is_unrelated})
    return right >= (PRECISION + MARGIN) * len(applied) and wrongly <= MOST_ON_UNRELATED * unrelated


def written(model: Model) -> str:
    """Returns the file: a line for each signal."""
    grounds = {
        ground: {
            "constant": one.constant,
            "signals": {name: [signal.weight, signal.why] for name, signal in one.signals.items()},
        }
        for ground, one in model.grounds.items()
    }
    whole = {"about": model.about, "clear": model.clear, "uncertain": model.uncertain, "grounds": grounds}
    text = json.dumps(whole, indent=2, ensure_ascii=False)
    lines = text.replace("[\n          ", "[").replace(",\n          ", ", ").replace("\n        ]", "]")
    return lines + "\n"


def measure(families: Families, variants: Variants) -> Iterator[str]:
    """Yields a line of Markdown for each left-out variant, then for apps that were left out."""
    for family, texts_of in families.items():
        model = model_of(variants, left_out=[family])
        if family == IDEAS:
            for world, texts in texts_of.items():
                yield _line(f"{family}, {world}", model_of(variants, left_out_variants=[world]), texts)
        elif family in MADE:
            yield _line(family, model, [one for texts in texts_of.values() for one in texts])
        else:
            for name, texts in texts_of.items():
                yield _line(f"{family}, {name}", model, texts)
    apps = families[REVIEWS]
    for first in (0, 1):
        chosen = [app for at, app in enumerate(apps) if at % 2 == first]
        model = model_of(variants, left_out_variants=chosen)
        texts = [one for app in chosen for one in apps[app]]
        yield _line(f"{REVIEWS}, {len(chosen)} apps, fitted to the others", model, texts)


def _line(name: str, model: Model, texts: Sequence[LabelledText]) -> str:
    DECISION.clear, DECISION.uncertain, DECISION.grounds = model.clear, model.uncertain, model.grounds
    found = evaluate_matching(embedded_engine(), texts, perf_counter)
    shares = (found.applied_precision, found.applied_recall, found.recall_with_suggestions, found.suggestion_precision)
    numbers = (model.clear, *shares, found.applied_on_unrelated_texts, found.calibration_error)
    order = (*found.order.right_by_rank, found.order.right_before_wrong, found.order.right_before_wrong_if_close)
    cells = " | ".join("-" if one is None else f"{one:.3f}".lstrip("0") for one in (*numbers, *order))
    return f"| {name} | {len(texts)} | {cells} |\n"


if __name__ == "__main__":
    main()
