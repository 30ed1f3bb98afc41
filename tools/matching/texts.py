"""The labelled texts that feature matching is fitted to and measured on, by family.

Three families are public data sets of customer messages, read from a folder that is not part of the repository:
BANKING77 and NLU++ (CC BY 4.0) and CLINC150 (CC BY 3.0). Their intents stand for features. The others were made for
this, and are beside this file: reviews of invented apps, and requests to invented products with a trap for each, a text
that uses the words of a feature for something else.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from sightline.evaluation.matching import LabelledFeature, LabelledText

REVIEWS, REQUESTS = MADE = ("reviews", "requests")  # families in files of their own
IDEAS = "ideas"  # of the worlds that are open
PARTIAL = "part of the features"
MOST_TEXTS = 900  # of a variant
WORLDS = Path(__file__).parents[2] / "evaluation" / "worlds"
LEFT_OUT = 3  # of five features leave the map in the variants with a part of the features
UNRELATED = 20  # messages that are read as reviews of each app

T = TypeVar("T")
Families = dict[str, dict[str, list[LabelledText]]]


def read_families(folder: Path) -> Families:
    """Returns the texts of each variant of each family, always in the same order."""
    banking, clinc = _banking(folder), _clinc(folder)
    outside = [text for text, intent in clinc[1] if intent not in clinc[0]]
    return {
        "BANKING77": _single_label(*banking, outside),
        "CLINC150": _single_label(*clinc, outside),
        "NLU++": {name: _thinned(list(_nlupp(folder / "nlupp", name))) for name in ("banking", "hotels")},
        REVIEWS: _with_unrelated(dict(read_reviews(file_of(REVIEWS))), outside[1::3]),
        REQUESTS: _with_unrelated(dict(read_reviews(file_of(REQUESTS))), outside[2::3]),
        IDEAS: {world.parent.name: list(read_ideas(world)) for world in sorted(WORLDS.glob("*/ideas.json"))},
    }


def read_ideas(file: Path) -> Iterator[LabelledText]:
    """Yields ideas of several sentences, none of a world without features; right is what fits, not what nearly does."""
    world = json.loads(file.read_text(encoding="utf-8"))
    features = tuple(LabelledFeature(one["id"], one["name"], one["description"]) for one in world["features"])
    for one in world["ideas"] if features else []:
        yield LabelledText(one["description"], features, frozenset(one["features"]["fits"]))


def _single_label(
    train: Mapping[str, list[str]], test: Sequence[tuple[str, str]], outside: Sequence[str]
) -> dict[str, list[LabelledText]]:
    """Returns names only, with two messages as description, and with a part of the features.

    The first two have messages from `outside` too, which are about no feature. So counts, in the third, a message whose
    label is not in the map, even where it speaks of a feature that is.
    """
    intents = sorted(train)
    few = [intent for at, intent in enumerate(intents) if at % 5 >= LEFT_OUT]
    described = {intent: " ".join(train[intent][:2]) for intent in intents}
    known = [(text, intent) for text, intent in test if intent in train]
    texts = _thinned(known) + [(text, "") for text in outside[::3]]
    return {
        "names": _labelled(texts, intents, {}),
        "descriptions": _labelled(texts, intents, described),
        PARTIAL: _labelled(_thinned(known), few, {}),
    }


def _labelled(
    texts: Iterable[tuple[str, str]], intents: Iterable[str], described: Mapping[str, str]
) -> list[LabelledText]:
    features = tuple(LabelledFeature(intent, _plain(intent), described.get(intent, "")) for intent in intents)
    known = {feature.id for feature in features}
    return [LabelledText(text, features, frozenset({intent} & known)) for text, intent in texts]


def _plain(intent: str) -> str:
    return intent.replace("_", " ").capitalize()


def _banking(folder: Path) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    train, test = (
        [(row["text"], row["category"]) for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines())]
        for file in (folder / "banking77_train.csv", folder / "banking77_test.csv")
    )
    return _by_intent(train), test


def _clinc(folder: Path) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    data = json.loads((folder / "clinc150_full.json").read_text(encoding="utf-8"))
    return _by_intent(data["train"]), [(text, intent) for text, intent in data["test"] + data["oos_test"]]


def _by_intent(texts: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text, intent in texts:
        found.setdefault(intent, []).append(text)
    return found


def _nlupp(folder: Path, domain: str) -> Iterator[LabelledText]:
    intents = json.loads((folder / "ontology.json").read_text(encoding="utf-8"))["intents"]
    features = tuple(
        LabelledFeature(name, _plain(name), about["description"])
        for name, about in intents.items()
        if {"general", domain}.intersection(about["domain"])
    )
    known = frozenset(feature.id for feature in features)
    for number in range(20):
        for one in json.loads((folder / domain / f"fold{number}.json").read_text(encoding="utf-8")):
            yield LabelledText(one["text"], features, known.intersection(one.get("intents", ())))


def _thinned(texts: Sequence[T]) -> list[T]:
    return list(texts[:: max(1, len(texts) // MOST_TEXTS)])


def file_of(family: str) -> Path:
    """Returns the file of a made family."""
    return Path(__file__).with_name(f"{family}.txt")


def read_reviews(file: Path) -> Iterator[tuple[str, list[LabelledText]]]:
    """Yields each app with its reviews, and once more as pairs of reviews: texts of several sentences."""
    app, features, reviews = "", list[LabelledFeature](), list[tuple[str, frozenset[str]]]()
    for line in [*file.read_text(encoding="utf-8").splitlines(), "app"]:
        if line.startswith("app"):
            if reviews:
                yield app, _of_app(features, reviews)
            app, features, reviews = line.removeprefix("app ").strip(), [], []
        elif line.startswith("feature "):
            name, _, description = line.removeprefix("feature ").partition(": ")
            features.append(LabelledFeature(name, name, description))
        elif "=>" in line:
            text, _, relevant = line.partition("=>")
            reviews.append((text.strip(), frozenset(name.strip() for name in relevant.split(";") if name.strip())))


def _of_app(features: Sequence[LabelledFeature], reviews: Sequence[tuple[str, frozenset[str]]]) -> list[LabelledText]:
    unknown = frozenset[str]().union(*(relevant for _, relevant in reviews)) - {feature.id for feature in features}
    if unknown:
        raise ValueError(f"No feature is called {min(unknown)}.")
    alone = [LabelledText(text, tuple(features), relevant) for text, relevant in reviews]
    half = len(reviews) // 2
    pairs = [
        LabelledText(f"{text} {other}", tuple(features), relevant | others)
        for (text, relevant), (other, others) in zip(reviews[:half], reviews[half:], strict=False)
    ]
    return alone + pairs


def _with_unrelated(apps: dict[str, list[LabelledText]], outside: Sequence[str]) -> dict[str, list[LabelledText]]:
    return {
        app: texts
        + [LabelledText(text, texts[0].features, frozenset()) for text in outside[at :: len(outside) // UNRELATED]]
        for at, (app, texts) in enumerate(apps.items())
    }
