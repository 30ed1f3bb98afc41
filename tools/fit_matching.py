"""Fits the numbers of feature matching, and measures them on families of texts that they were not fitted to.

    python -m tools.fit_matching FOLDER            writes src/sightline/intelligence/embedded/matching.json
    python -m tools.fit_matching FOLDER --measure  prints the table of docs/decisions/0022-matching.md; writes nothing

FOLDER has the public data sets (`tools/matching/texts.py` says which). The same data give the same file.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import perf_counter

from sightline.intelligence.embedded import decision, embedded_engine
from sightline.intelligence.embedded.decision import SIGNALS, Ground, GroundModel, Model, Signal
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, read_features
from sightline.intelligence.embedded.mentions import read_mentions
from sightline.intelligence.embedded.scoring import FULL, Evidence, find_evidence
from sightline.intelligence.embedded.sentences import read_sentences
from sightline.intelligence.evaluation import LabelledFeature, LabelledText, evaluate_matching, input_of
from tools.matching.regression import Row, fit
from tools.matching.texts import Families, read_families

CLEAR, UNCERTAIN = 0.8, 0.2
REVIEWS, TWICE = "reviews", 2.0  # short concrete names in reviews count twice: they are the use
MOST_ROWS = 1_500  # of a family and a ground
FULL_WEIGHT = 200  # a family with fewer rows of a ground counts less
PARTIAL = "part of the features"  # measured and not fitted to, as its labels are unsure
FILE = Path(decision.__file__).with_name("matching.json")
ABOUT = (
    "Written by tools/fit_matching.py. The probability that a text speaks of a feature is 1 / (1 + exp(-t)), where t is"
    " the constant plus the sum of weight times signal, for the sentence of the text with the highest probability."
    " There is one set of numbers for each ground: all words of a name, a name of one word, a part of a name, and words"
    " of the description alone. From `clear` on a match is applied, from `uncertain` on it is suggested."
)
WHY = {
    "rarity": "Sum of the weights of the words: 1 for a word of one feature of the map, less for one of several.",
    "apart": "Logarithm of the number of other words between the words of the name.",
    "reversed": "1 if the words are in another order than in the name.",
    "other_forms": "Share of the words in another form than in the name: exporting for export.",
    "related_words": "Share of the words of which only a related one is there: notify for notifications.",
    "written_as_name": "Share of the words with a capital or in quotes, within a sentence.",
    "common_words": "1 if at most one word of the name tells it from most features of the map.",
    "description": "Sum of the weights of the words of the description in the sentence, at most 3.",
    "margin": "Weight of the words of the name, less that of the best other feature in the sentence.",
    "outdone": "1 if another feature has these words and more in the sentence.",
    "contained": "1 if another name of the map has all these words, and no word of the description is there.",
    "verb": "1 if the word follows to, a pronoun or an auxiliary.",
    "past": "1 if the word ends in -ed and the name does not.",
    "share": "Share of the weight of the name's words that is there.",
    "rarest": "Weight of the rarest word that is there.",
    "length": "Logarithm of the number of words of the name.",
    "words": "Logarithm of the number of words of the description that are there.",
}

Rows = dict[tuple[str, str, Ground], list[tuple[tuple[float, ...], bool]]]


def main() -> None:
    words = argparse.ArgumentParser(description="Fits the numbers of feature matching.")
    words.add_argument("folder", type=Path, help="has the public data sets")
    words.add_argument("--measure", action="store_true", help="measure on left-out families; write nothing")
    chosen = words.parse_args()
    families = read_families(chosen.folder)
    rows = read_rows(families)
    if chosen.measure:
        sys.stdout.writelines(measure(families, rows))
    else:
        FILE.write_text(written(model_of(rows)), encoding="utf-8")


def read_rows(families: Families) -> Rows:
    """Returns the values and labels of each variant of each family, by their ground."""
    rows: Rows = {}
    for family, variants in families.items():
        for variant, texts in variants.items():
            for one, is_right in read_evidence(texts) if variant != PARTIAL else ():
                rows.setdefault((family, variant, one.ground), []).append((one.values, is_right))
    return rows


def read_evidence(texts: Iterable[LabelledText]) -> Iterator[tuple[Evidence, bool]]:
    """Yields the strongest evidence of each text for each feature, and whether the label agrees."""
    maps: dict[tuple[LabelledFeature, ...], EmbeddedFeatureMap] = {}
    for one in texts:
        if one.features not in maps:
            maps[one.features] = read_features(input_of(one.features))
        best: dict[int, Evidence] = {}
        for sentence in read_sentences(one.text):
            for place, evidence in find_evidence(read_mentions(sentence, maps[one.features]), maps[one.features]):
                if place not in best or _rank(evidence) > _rank(best[place]):
                    best[place] = evidence
        for place, evidence in best.items():
            yield evidence, one.features[place].id in one.relevant


def _rank(one: Evidence) -> tuple[bool, bool, float]:
    return one.ground in FULL, one.ground == "part", one.weight


def model_of(rows: Rows, left_out: Sequence[str] = (), left_out_variants: Sequence[str] = ()) -> Model:
    """Fits each ground to all families but those left out; each family counts alike."""
    grounds: dict[Ground, GroundModel] = {}
    for ground, names in SIGNALS.items():
        kept: dict[str, list[tuple[tuple[float, ...], bool]]] = {}
        for (family, variant, of), found in rows.items():
            if of == ground and family not in left_out and variant not in left_out_variants:
                kept.setdefault(family, []).extend(found)
        numbers = fit([row for family, found in kept.items() for row in _weighted(family, found)])
        signals = {name: Signal(round(one, 3), WHY[name]) for name, one in zip(names, numbers[1:], strict=True)}
        grounds[ground] = GroundModel(round(numbers[0], 3), signals)
    return Model(ABOUT, CLEAR, UNCERTAIN, grounds)


def _weighted(family: str, found: Sequence[tuple[tuple[float, ...], bool]]) -> Iterator[Row]:
    thinned = found[:: max(1, len(found) // MOST_ROWS)]
    total = 1_000 * min(1.0, len(found) / FULL_WEIGHT) * (TWICE if family == REVIEWS else 1.0)
    for values, is_right in thinned:
        yield Row(values, is_right, total / len(thinned))


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


def measure(families: Families, rows: Rows) -> Iterator[str]:
    """Yields a line of Markdown for each left-out variant, then for apps that were left out."""
    for family, variants in families.items():
        decision.use(model_of(rows, left_out=[family]))
        if family == REVIEWS:
            yield _line(f"{REVIEWS}, all apps", [one for texts in variants.values() for one in texts])
        else:
            for variant, texts in variants.items():
                yield _line(f"{family}, {variant}", texts)
    apps = families[REVIEWS]
    for first in (0, 1):
        chosen = [app for at, app in enumerate(apps) if at % 2 == first]
        decision.use(model_of(rows, left_out_variants=chosen))
        yield _line(
            f"{REVIEWS}, {len(chosen)} apps, fitted to the others", [one for app in chosen for one in apps[app]]
        )


def _line(name: str, texts: Sequence[LabelledText]) -> str:
    found = evaluate_matching(embedded_engine(), texts, perf_counter)
    shares = (found.applied_precision, found.applied_recall, found.recall_with_suggestions, found.suggestion_precision)
    numbers = (*shares, found.applied_on_unrelated_texts, found.calibration_error)
    cells = " | ".join("-" if one is None else f"{one:.3f}".lstrip("0") for one in numbers)
    return f"| {name} | {len(texts)} | {cells} |\n"


if __name__ == "__main__":
    main()
