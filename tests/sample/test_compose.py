"""Composed records are many, different, and the same for everyone."""

import hashlib
import json
import os
import subprocess
import sys
from copy import deepcopy

import pytest

from sightline.sample.compose import compose, load
from sightline.sample.dice import Deck, Dice
from sightline.sample.phrases import fill, phrases
from tests.sample.reading import Record, wordings


def digest(workspace: Record) -> str:
    return hashlib.sha256(json.dumps(workspace).encode()).hexdigest()


def test_composed_records_differ_at_larger_amounts() -> None:
    large = compose(load(), ideas=3_000, insights=3_000, signals=3_000, ratings=50)
    assert len({idea["description"] for idea in large["ideas"]}) == 3_000
    assert len({insight["description"] for insight in large["insights"]}) == 3_000
    assert len({" ".join(wordings(signal)) for signal in large["signals"]}) == 3_000


def test_the_written_records_come_first_and_stay_as_they_are() -> None:
    before = load()
    given = deepcopy(before)
    made = compose(given, ideas=50, insights=10, signals=70, ratings=41)
    assert given == before
    assert made["ideas"][:43] == before["ideas"]
    assert made["insights"] == before["insights"]
    made["ideas"][0]["name"] = "Changed"
    assert given == before


def test_composing_works_without_composed_signals() -> None:
    made = compose(load(), ideas=60, insights=70, signals=0, ratings=0)
    assert [len(made[name]) for name in ("ideas", "insights", "signals")] == [60, 70, 62]


def test_composing_refuses_a_workspace_without_known_features() -> None:
    with pytest.raises(ValueError, match="features of the sample"):
        compose({"products": []})


def test_the_same_seed_composes_the_same_and_another_differs() -> None:
    assert digest(compose(load())) == digest(compose(load(), seed=7))
    assert digest(compose(load())) != digest(compose(load(), seed=8))


def test_composing_does_not_depend_on_the_process() -> None:
    script = (
        "import hashlib, json; from sightline.sample.compose import compose, load; "
        "print(hashlib.sha256(json.dumps(compose(load())).encode()).hexdigest())"
    )
    search = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": search}
    answer = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True)
    assert answer.stdout.decode().strip() == digest(compose(load()))


def test_a_deck_deals_every_combination_once() -> None:
    for seed in range(5):
        deck = Deck(Dice(seed), 3, 4, 5)
        assert len({deck.deal() for _ in range(60)}) == 60


def test_every_customer_phrase_has_a_number_to_vary() -> None:
    for trouble in phrases().troubles:
        assert fill(trouble.said, 0) != fill(trouble.said, 1), trouble.about
    assert {len(scenes) for scenes in phrases().scenes.values()} == {12}
