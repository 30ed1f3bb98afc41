"""The fitted numbers: how they are made, and how well they do on the reviews that are kept with them."""

from math import isfinite, log
from pathlib import Path

import pytest

from sightline.evaluation.matching import LabelledFeature, LabelledText, evaluate_matching
from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.decision import DECISION, GroundModel, Model, Signal
from tools.fit_matching import SIGNALS, Example, Variant, choose_clear, model_of, read_variants, written
from tools.matching.regression import Choice, Row, fit, fit_choices, solve
from tools.matching.texts import REVIEWS, WORLDS, file_of, read_ideas, read_reviews

# The bounds below were measured on these; other open worlds were written later.
FITTED_WORLDS = ("museum-theatre-admission", "veterinary-practice")

APPS = dict(read_reviews(file_of(REVIEWS)))
NO_CLOCK = 0.0


def test_equations_are_solved() -> None:
    assert solve([[0.0, 2.0], [4.0, 1.0]], [6.0, 7.0]) == [1.0, 3.0]


def test_the_regression_finds_the_odds() -> None:
    rows = [Row((float(there),), right, 1.0) for there, right, n in
            [(0, True, 20), (0, False, 80), (1, True, 80), (1, False, 20)] for _ in range(n)]  # fmt: skip
    constant, weight = fit(rows, penalty=0.0)
    assert (round(constant, 3), round(weight, 3)) == (-1.386, 2.773)


def test_a_row_counts_by_its_weight() -> None:
    once = fit([Row((1.0,), True, 3.0), Row((1.0,), False, 1.0), Row((0.0,), False, 1.0), Row((0.0,), True, 1.0)])
    often = fit(
        [Row((1.0,), True, 1.0)] * 3 + [Row((1.0,), False, 1.0), Row((0.0,), False, 1.0), Row((0.0,), True, 1.0)]
    )
    assert once == pytest.approx(often)


def test_the_fit_of_choices_finds_the_odds() -> None:
    """Between two, right is the one with the value 1 in four of five cases: its odds are exp(1.386)."""
    choices = [Choice(((1.0,), (0.0,)), (is_right, not is_right)) for is_right in [True] * 80 + [False] * 20]
    assert fit_choices(choices, penalty=0.0) == pytest.approx([1.386], abs=0.001)
    assert abs(fit_choices(choices, penalty=100.0)[0]) < 0.7


def test_the_same_texts_give_the_same_file() -> None:
    files = {written(model_of(read_variants({REVIEWS: APPS}))) for _ in range(2)}
    assert len(files) == 1


def family(*rows: tuple[float, bool], unrelated: frozenset[int] = frozenset()) -> list[Variant]:
    """Returns texts with one confidence and label each; 100 are about nothing."""
    found = [
        Example("text", (log(sure / (1 - sure)), 0.0, 0.0), right, at, at in unrelated)
        for at, (sure, right) in enumerate(rows)
    ]
    return [Variant(found, unrelated=100)]


def plain_model() -> Model:
    """Returns a model whose probability of a text with one signal is the logistic function of it."""
    grounds = {
        ground: GroundModel(0.0, {name: Signal(1.0, "A signal.") for name in names})
        for ground, names in SIGNALS.items()
    }
    return Model("For a test.", 1.0, 0.2, grounds)


def test_the_limit_is_above_what_is_wrong_in_any_family() -> None:
    good = family(*[(0.95, True)] * 50, (0.65, True))
    fair = family(*[(0.95, True)] * 50, *[(0.80, False)] * 10, (0.70, True))
    assert choose_clear(plain_model(), [good]) == 0.6
    assert choose_clear(plain_model(), [good, fair]) == 0.81


def test_the_limit_is_above_what_unrelated_texts_reach() -> None:
    rows = [*[(0.95, True)] * 200, (0.80, False), (0.85, False)]
    assert choose_clear(plain_model(), [family(*rows)]) == 0.6
    assert choose_clear(plain_model(), [family(*rows, unrelated=frozenset({200, 201}))]) == 0.81


def test_the_limit_is_the_highest_if_none_does() -> None:
    assert choose_clear(plain_model(), [family(*[(0.995, False)] * 20)]) == 0.99


def test_the_file_has_a_number_and_a_reason_for_each_signal() -> None:
    for ground, names in SIGNALS.items():
        assert list(DECISION.grounds[ground].signals) == list(names)
        assert all(isfinite(one.weight) and one.why.endswith(".") for one in DECISION.grounds[ground].signals.values())
    assert 0 < DECISION.uncertain < DECISION.clear < 1


def test_the_kept_reviews_are_matched_well() -> None:
    texts = [one for reviews in APPS.values() for one in reviews]
    found = evaluate_matching(embedded_engine(), texts, lambda: NO_CLOCK)
    assert found.texts > 700
    assert found.applied_precision is not None
    assert found.applied_precision >= 0.95
    assert found.applied_recall is not None
    assert found.applied_recall >= 0.6
    assert found.recall_with_suggestions is not None
    assert found.recall_with_suggestions >= 0.9
    assert found.calibration_error is not None
    assert found.calibration_error <= 0.12


def test_ideas_of_several_sentences_are_matched_well() -> None:
    texts = [one for world in FITTED_WORLDS for one in read_ideas(WORLDS / world / "ideas.json")]
    found = evaluate_matching(embedded_engine(), texts, lambda: NO_CLOCK)
    assert found.texts >= 24
    assert found.applied_precision is not None
    assert found.applied_precision >= 0.8
    assert found.recall_with_suggestions is not None
    assert found.recall_with_suggestions >= 0.9
    assert found.curve[-1].precision >= 0.5


def test_texts_about_nothing_have_nothing_applied() -> None:
    chatter = ["The weather was lovely and we had lunch by the sea.", "Thank you, see you on Monday."]
    texts = [LabelledText(text, reviews[0].features, frozenset()) for reviews in APPS.values() for text in chatter]
    assert evaluate_matching(embedded_engine(), texts, lambda: NO_CLOCK).applied == 0


def test_five_thousand_features_are_compared() -> None:
    features = tuple(LabelledFeature(str(at), f"Board {at} export", "Sends boards as files.") for at in range(5_000))
    texts = [LabelledText("The board 77 export fails.", features, frozenset({"77"}))]
    found = evaluate_matching(embedded_engine(), texts, lambda: NO_CLOCK)
    assert (found.applied, found.applied_precision) == (1, 1.0)


def test_a_review_about_an_unknown_feature_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "reviews.txt"
    file.write_text("app A\nfeature Dark mode\nNice. => Light mode\n")
    with pytest.raises(ValueError, match="No feature is called Light mode"):
        list(read_reviews(file))
