"""How well the embedded engine asks, measured on ideas that are labelled with what their texts lack."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from sightline.intelligence.embedded.questions import ask_questions, rules
from sightline.intelligence.marks import Kept, Output
from sightline.platform.errors import BadRequest


class LabelledIdea(Struct, frozen=True):
    """An idea and the points that its description lacks, such as `how_often`."""

    id: str
    description: str
    lacks: frozenset[str]
    name: str = ""


class _Ideas(Struct):
    ideas: list[LabelledIdea]


class QuestionQuality(Struct, rename="camel"):
    """The quality of questions. A share of nothing is null.

    `about_lacking` is the share of questions about a point that the text lacks, `lacking_asked` the share of ideas that
    lack a point and are asked about it, `complete_asked` counts ideas that lack nothing and are asked. `wrong` has up
    to ten questions about points that the text has. `kept` needs marks of readers.
    """

    questions: int
    drafts: int
    about_lacking: float | None
    ideas_lacking: int
    lacking_asked: float | None
    ideas_complete: int
    complete_asked: int
    wrong: list[str]
    kept: Kept | None = None


def read_ideas(folder: Path) -> list[LabelledIdea]:
    """Reads `ideas.json` of a world. Raises BadRequest if it is not right, and OSError."""
    try:
        return msgspec.json.decode((folder / "ideas.json").read_bytes(), type=_Ideas).ideas
    except msgspec.DecodeError as error:
        raise BadRequest(f"{folder / 'ideas.json'}: {error}") from None


def outputs_of(ideas: Sequence[LabelledIdea]) -> list[Output]:
    """Returns each question as readers see it."""
    return [
        Output(f"{idea.id}-{number}", idea.description, asked.question)
        for idea in ideas
        for number, asked in enumerate(ask_questions(idea.description), 1)
    ]


def evaluate_questions(ideas: Sequence[LabelledIdea]) -> QuestionQuality:
    """Asks about each idea and compares the points with its labels. A question of the text itself is about none."""
    about = {point.question: point.point for point in rules().points}
    asked = [(idea, one, about.get(one.question)) for idea in ideas for one in ask_questions(idea.description)]
    wrong = [f"{idea.id}: {one.question}" for idea, one, point in asked if point not in idea.lacks]
    lacking = {idea.id for idea in ideas if idea.lacks}
    found = {idea.id for idea, _, point in asked if point in idea.lacks}
    return QuestionQuality(
        questions=len(asked),
        drafts=sum(bool(one.placeholder) for _, one, _ in asked),
        about_lacking=_share(len(asked) - len(wrong), len(asked)),
        ideas_lacking=len(lacking),
        lacking_asked=_share(len(found), len(lacking)),
        ideas_complete=len(ideas) - len(lacking),
        complete_asked=len({idea.id for idea, _, _ in asked} - lacking),
        wrong=wrong[:10],
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
