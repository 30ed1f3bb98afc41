"""Fits what the signals of a passage count when research answers, and measures it on worlds that it was not fitted to.

    python -m tools.fit_research WORLDS...            writes src/sightline/intelligence/embedded/research/signals.json
    python -m tools.fit_research WORLDS... --measure  prints the figures of each world, fitted to the others

WORLDS are folders as in `evaluation/worlds`. The same worlds give the same file.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from operator import mul
from pathlib import Path
from typing import Final, NamedTuple

from sightline.evaluation.research import (
    Fact,
    Passage,
    answer_all,
    measure_quality,
    read_labels,
    read_names,
    says,
)
from sightline.intelligence.embedded.research import EmbeddedResearcher, passages
from sightline.intelligence.embedded.research.passages import (
    WEIGHTS,
    Candidate,
    find_candidates,
    read_questions,
)
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import Judgement
from sightline.platform.clock import Clock
from sightline.sources.pages import Page
from tools.matching.regression import Choice, fit_choices

PENALTY: Final = 3.0
FILE: Final = Path(passages.__file__).with_name("signals.json")
ABOUT: Final = (
    "Written by tools/fit_research.py. A passage may answer if the sum of weight times signal is at least `least`, less"
    " the weight of `figure` where the question asks for none; the highest sum counts."
)
WHY: Final = {
    "near": "Share of the question in the title, the heading, the sentence, and one before and after.",
    "wide": "The same with four sentences before and after.",
    "own": "The same with the sentence alone.",
    "figure": "1 if the sentence has the figure that is asked for, less for another that may answer, below 0 for none.",
    "unasked": "1 if it has a figure and none is asked for.",
    "beside": "Share of the question that stands beside the figure.",
    "tone": "Sum for results, and against a method or an earlier time.",
    "place": "Place of the sentence in the page, 0 to 1.",
    "first": "1 for the first sentence of a page that has more than five.",
    "subject": "How much of the page is about the question, as a share of the most of all pages that were read.",
    "focus": "Largest share of the question near one sentence of the page, likewise.",
    "recency": "1 for the newest page that was read, 0 for one that is five years older.",
}


class Asked(NamedTuple):
    """A question of a plan: the candidates of the pages that were read, and which state a current fact of it."""

    is_figure: bool
    candidates: list[Candidate]
    right: list[bool]


class Recorder(EmbeddedResearcher):
    """Keeps the pages that were read for each question."""

    def __init__(self) -> None:
        self.read: dict[str, tuple[PlanSection, list[Page]]] = {}

    async def judge(self, section: PlanSection, pages: Sequence[Page]) -> list[Judgement]:
        for question in section.questions:
            self.read.setdefault(question, (section, []))[1].extend(pages)
        return await super().judge(section, pages)


def main() -> None:
    words = argparse.ArgumentParser(description="Fits what the signals of a passage count.")
    words.add_argument("worlds", type=Path, nargs="+")
    words.add_argument("--measure", action="store_true", help="measure on left-out worlds; write nothing")
    chosen = words.parse_args()
    worlds = {folder: asyncio.run(read_world(folder)) for folder in chosen.worlds}
    if chosen.measure:
        sys.stdout.writelines(measured(worlds))
    else:
        use(worlds)
        FILE.write_text(written(), encoding="utf-8")


async def read_world(folder: Path) -> list[Asked]:
    """Returns the questions of the plans, with candidates."""
    now, labels, recorder = Clock().now(), read_labels(folder), Recorder()
    names, facts = read_names(folder, now), {fact.id: fact for fact in labels.facts}
    answers = await answer_all(folder, labels, now, recorder)
    found = []
    for one in labels.questions:
        planned = [given.asked for given in answers if given.question == one and given.asked in recorder.read]
        parts = [_candidates(*recorder.read[question], question, names) for question in planned]
        for number, (asked, candidates) in enumerate(parts):
            own = [facts[id] for id in one.facts if _part_of(facts[id], [part for _, part in parts]) == number]
            stated = [[fact for fact in own if says(passage, fact)] for passage, _ in candidates]
            if own or not one.facts:
                found.append(
                    Asked(
                        bool(asked.figures),
                        [candidate for _, candidate in candidates],
                        [any(not fact.outdated_by for fact in some) for some in stated],
                    )
                )
    return found


Found = list[tuple[Passage, Candidate]]


def _candidates(
    section: PlanSection, pages: Sequence[Page], question: str, names: Mapping[str, str]
) -> tuple[passages.Asked, Found]:
    pages = list({page.url: page for page in pages}.values())
    asked = read_questions(section)[question]
    found = find_candidates(asked, pages)
    return asked, [
        (Passage(one.text, names[page.url]), one) for page, some in zip(pages, found, strict=True) for one in some
    ]


def _part_of(fact: Fact, parts: Sequence[Found]) -> int:
    """Returns the part of a question with two that has more words of the fact and around it."""
    close = [max((sum(one.values[:4]) for passage, one in part if says(passage, fact)), default=-1.0) for part in parts]
    return close.index(max(close))


def use(worlds: Mapping[Path, Sequence[Asked]]) -> None:
    """Fits to the worlds, and answers with that from now on.

    The least sum is chosen from worlds that were left out, one after the other.
    """
    tops = [top for left in worlds for top in _tops(worlds[left], _fit(worlds, left))]
    WEIGHTS.least = _least([one for one in tops if one.is_figure])
    weights = _fit(worlds)
    WEIGHTS.signals = {name: (round(one, 2), why) for (name, why), one in zip(WHY.items(), weights, strict=True)}


def _fit(worlds: Mapping[Path, Sequence[Asked]], left_out: Path | None = None) -> list[float]:
    asked = [one for folder, some in worlds.items() if folder != left_out for one in some if any(one.right)]
    return fit_choices(
        [Choice(tuple(each.values for each in one.candidates), tuple(one.right)) for one in asked], PENALTY
    )


class _Top(NamedTuple):
    """The highest sum of a question, whether it is right, and whether the question asks for a figure."""

    sum: float
    is_right: bool
    is_figure: bool


def _tops(asked: Sequence[Asked], weights: Sequence[float]) -> Iterator[_Top]:
    for one in asked:
        sums = [sum(map(mul, weights, each.values)) for each in one.candidates]
        if sums:
            yield _Top(max(sums), one.right[sums.index(max(sums))], one.is_figure)


def _least(tops: Sequence[_Top]) -> float:
    """Returns the sum from on which most are right; a wrong one takes away half of what a right one is worth."""

    def value(top: _Top) -> float:
        shown = [one.is_right for one in tops if one.sum >= top.sum]
        return sum(shown) - (len(shown) - sum(shown)) / 2

    return round(max(sorted(tops), key=value).sum, 2)


def measured(worlds: Mapping[Path, Sequence[Asked]]) -> Iterator[str]:
    """Yields the figures of each world that was left out."""
    for left in worlds:
        use({folder: asked for folder, asked in worlds.items() if folder != left})
        found = measure_quality(left)
        yield (
            f"| {left.name} | {found.first} of {found.answerable} | {found.among} of {found.facts} | "
            f"{found.unanswerable_said} of {found.unanswerable} | {found.older_first} | "
            f"{found.contradictions_shown} of {found.contradictions} |\n"
        )


def written() -> str:
    """Returns the file: a line for each signal."""
    signals = ",\n".join(f"    {json.dumps(name)}: {json.dumps(one)}" for name, one in WEIGHTS.signals.items())
    return f'{{\n  "about": {json.dumps(ABOUT)},\n  "least": {WEIGHTS.least},\n  "signals": {{\n{signals}\n  }}\n}}\n'


if __name__ == "__main__":
    main()
