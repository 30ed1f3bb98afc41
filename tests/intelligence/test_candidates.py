"""Large maps are searched without weighing each feature, and with the same result."""

from itertools import permutations, product
from random import Random
from uuid import UUID

import pytest

from sightline.intelligence.embedded.candidates import FEW, find_candidates
from sightline.intelligence.embedded.decision import DECISION
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, read_features
from sightline.intelligence.embedded.mentions import read_mentions
from sightline.intelligence.embedded.scoring import Evidence, find_evidence
from sightline.intelligence.embedded.sentences import Sentence, read_sentences
from sightline.intelligence.embedded.vocabulary import word_set
from sightline.intelligence.engine import FeatureText

WORDS = sorted(
    word_set("""
    bulk export report invoice payment dashboard calendar project task team filter search template alert budget expense
    ticket contact pipeline deal stock order warehouse price tax ledger audit role approval webhook token profile
""")
)
SMALL_WORDS = ("the", "out", "in", "instead of", "without", "to", "can")
PAIRS = list(permutations(WORDS, 2))
TENTHS = [tenth / 10 for tenth in range(31)]


def crowded_map(size: int, chance: Random) -> EmbeddedFeatureMap:
    """Returns features that share few words: some with two names, with initials, small words, or a rare word."""

    def name(at: int) -> str:
        words = chance.sample(WORDS, chance.choice((1, 2, 2, 3, 4)))
        more = (
            "",
            "",
            f" ({' '.join(chance.sample(WORDS, 2))})",
            f" ({''.join(word[0] for word in words).upper()})",
            f" {at}",
        )
        return chance.choice(("", "", "Out ")) + " ".join(words) + chance.choice(more)

    def description() -> str:
        return " ".join(chance.choices([*WORDS, *SMALL_WORDS], k=chance.choice((0, 5, 10))))

    return read_features([FeatureText(UUID(int=at), name(at), description()) for at in range(size)])


def crowded_text(size: int, chance: Random) -> str:
    """Returns a sentence of words and numbers of names, of initials in capitals, and of others."""
    initials = "".join(chance.choice(WORDS)[0] for _ in range(3)).upper()
    others = [*SMALL_WORDS, initials, str(chance.randrange(size)), "people", "every"]
    return " ".join(chance.choice(WORDS if chance.random() < 0.5 else others) for _ in range(12))


def suggested(sentence: Sentence, features: EmbeddedFeatureMap, *, only_likely: bool) -> dict[int, Evidence]:
    found = find_evidence(sentence, read_mentions(sentence, features), features, only_likely=only_likely)
    return {place: one for place, one in found if one.confidence >= DECISION.uncertain}


@pytest.mark.parametrize("size", [30, 300, 1_000])
def test_what_is_left_out_changes_no_suggestion(size: int) -> None:
    chance = Random(size)
    features = crowded_map(size, chance)
    for _ in range(100):
        (sentence,) = read_sentences(crowded_text(size, chance))
        assert suggested(sentence, features, only_likely=True) == suggested(sentence, features, only_likely=False)


def test_few_features_of_a_large_map_are_weighed() -> None:
    features = read_features([FeatureText(UUID(int=at), " ".join(two), "") for at, two in enumerate(PAIRS)])
    (sentence,) = read_sentences("The report of the audit, the price of the stock, and an invoice for the team.")
    mentions = read_mentions(sentence, features)
    assert len(find_candidates(mentions, features, only_likely=False).places) == 2 * 6 * 26 + 6 * 5
    assert [PAIRS[place] for place in find_candidates(mentions, features, only_likely=True).places] == list(
        permutations(["audit", "invoice", "price", "report", "stock", "team"], 2)
    )


def test_a_small_map_is_weighed_whole() -> None:
    chance = Random(1)
    features = crowded_map(FEW, chance)
    (sentence,) = read_sentences(" ".join(WORDS))
    mentions = read_mentions(sentence, features)
    assert find_candidates(mentions, features, only_likely=True) == (list(range(FEW)), {})


def test_without_so_much_of_its_description_nothing_is_suggested() -> None:
    for support, rarest, outdone in product(TENTHS, TENTHS[:11], (0.0, 1.0)):
        if DECISION.probability("part", (rarest, support, outdone)) >= DECISION.uncertain:
            assert support >= DECISION.least_description(rarest)
        if DECISION.probability("description", (support,)) >= DECISION.uncertain:
            assert support >= DECISION.least_description()
