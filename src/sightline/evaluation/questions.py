"""How well the embedded engine asks, measured on ideas that are labelled with what their texts lack."""

from pathlib import Path

from sightline.evaluation.marks import Output
from sightline.evaluation.worlds import Measured, Quality, read_ideas, share
from sightline.intelligence.embedded.questions import ask_questions, rules


class QuestionQuality(Quality):
    """The quality of questions.

    `about_lacking` is the share of questions about a point that the text lacks, `lacking_asked` the share of ideas that
    lack a point and are asked about it, `complete_asked` counts ideas that lack nothing and are asked. `wrong` has
    questions about points that the text has.
    """

    questions: int
    drafts: int
    about_lacking: float | None
    ideas_lacking: int
    lacking_asked: float | None
    ideas_complete: int
    complete_asked: int


def measure(folder: Path) -> Measured:
    """Asks about each idea and compares the points with its labels. A question of the text itself is about none."""
    ideas = read_ideas(folder)
    asked = [(idea, n, one) for idea in ideas for n, one in enumerate(ask_questions(idea.description), 1)]
    right = [idea.id for idea, _, one in asked if rules().point_of(one.question) in idea.lacks]
    lacking = {idea.id for idea in ideas if idea.lacks}
    quality = QuestionQuality(
        questions=len(asked),
        drafts=sum(bool(one.placeholder) for _, _, one in asked),
        about_lacking=share(len(right), len(asked)),
        ideas_lacking=len(lacking),
        lacking_asked=share(len(set(right)), len(lacking)),
        ideas_complete=len(ideas) - len(lacking),
        complete_asked=len({idea.id for idea, _, _ in asked} - lacking),
        wrong=[
            f"{idea.id}: {one.question}" for idea, _, one in asked if rules().point_of(one.question) not in idea.lacks
        ],
    )
    return Measured(quality, [Output(f"{idea.id}-{n}", idea.description, one.question) for idea, n, one in asked])
