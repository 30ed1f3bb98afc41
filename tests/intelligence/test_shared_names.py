"""Names that share words: what the signals of a sentence say of them, held against their definitions."""

from itertools import combinations
from random import Random
from uuid import UUID

import pytest

from sightline.intelligence.embedded.decision import DECISION
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, read_features
from sightline.intelligence.embedded.mentions import read_mentions
from sightline.intelligence.embedded.scoring import LIGHT, MOST_COMPARED, Evidence, find_names
from sightline.intelligence.embedded.sentences import read_sentences
from sightline.intelligence.engine import FeatureText

WORDS = ["order", "invoice", "report", "export", "list", "filter", "customer", "folder"]
SHARED = list(DECISION.grounds["name"].signals).index("shared")


def read(names: list[str]) -> EmbeddedFeatureMap:
    return read_features([FeatureText(UUID(int=at), name, "") for at, name in enumerate(names)])


def find(text: str, features: EmbeddedFeatureMap) -> dict[int, Evidence]:
    [sentence] = read_sentences(text)
    return dict(find_names(sentence, read_mentions(sentence, features), features))


def weight(features: EmbeddedFeatureMap, place: int, words: set[str]) -> float:
    return sum(value for stem, value in features.features[place].named.items() if stem in words)


@pytest.mark.parametrize("seed", range(20))
def test_signals_of_names_that_share_words_are_as_defined(seed: int) -> None:
    random = Random(seed)
    features = read([" ".join(random.sample(WORDS, random.randint(1, 5))) for _ in range(random.choice((3, 10, 40)))])
    text = f"We need {' '.join(random.sample(WORDS, 6))}"
    said, found = read_mentions(read_sentences(text)[0], features).keys(), find(text, features)
    assert found.keys() == {at for at, one in enumerate(features.features) if one.named.keys() <= said}
    for place, name in found.items():
        others = [at for at in range(len(features.features)) if at != place]
        shares = [weight(features, place, set(features.features[at].named)) for at in others]
        share = max(shares) / weight(features, place, set(name.named))
        assert name.as_word[0] == pytest.approx(share)
        assert name.ground == "word" or name.values[SHARED] == name.as_word[0]
        longer = [at for at in others if name.named <= features.features[at].named.keys()]
        if not name.has_twin and name.ground == "name":
            more = [weight(features, at, set(said)) - name.weight for at in longer]
            assert name.is_unclear == any(each >= LIGHT for each in more)


def test_a_name_that_many_features_have_is_read_once_and_found_for_each() -> None:
    found = find("We search and export", read(["Search", "Export data"] * 50 + ["Export"]))
    assert sorted(found) == [*range(0, 100, 2), 100]
    assert {id(found[place]) for place in range(0, 100, 2)} == {id(found[0])}
    assert [found[place].has_twin for place in (0, 98, 100)] == [True, True, False]


def test_a_map_knows_how_many_features_one_word_names() -> None:
    assert read(["Search", "Export data", "Export", "Data import"]).sharing == 2
    assert read([]).sharing == 0


def test_thousands_of_names_of_the_same_few_words_are_all_found() -> None:
    words = [f"{first}{second}" for first in "bdfgk" for second in ("an", "el", "ir", "ot")]
    names = [" ".join(six) for six in list(combinations(words, 6))[::8]]
    assert len(find(f"We use {', '.join(words)}.", read(names))) == len(names)


SYLLABLES = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("an", "el", "ir", "ot", "um")]


def test_of_a_long_name_its_heaviest_words_are_compared() -> None:
    """Each word more may double the time of a comparison, and a name may have hundreds."""
    random = Random(1)
    features = read([" ".join(random.sample(SYLLABLES[: 14 + at % 13], 7 + at % 6)) for at in range(300)])
    found = find(f"We use {' '.join(SYLLABLES)}", features)
    assert len(found) == 300
    for place, name in found.items():
        heaviest = sorted(name.wording.telling.items(), key=lambda word: -word[1])[:MOST_COMPARED]
        others = [one.named.keys() for at, one in enumerate(features.features) if at != place]
        shared = max(sum(weight for stem, weight in heaviest if stem in stems) for stems in others)
        assert name.as_word[0] == pytest.approx(shared / sum(weight for _, weight in heaviest))


def test_thousands_of_long_names_of_the_same_words_are_all_found() -> None:
    random = Random(1)
    names = [" ".join(random.sample(SYLLABLES, 30)) for _ in range(2_000)]
    assert len(find(f"We use {' '.join(SYLLABLES)}", read(names))) == len(names)
