"""An idea as material of a model, and what a model reads in it."""

from collections.abc import Sequence
from typing import NamedTuple

from sightline.intelligence.engine import DraftedQuestion, FeatureText, ListGroup, Matching, SuggestedOption


class IdeaMaterial(NamedTuple):
    """What a model is asked about the text of an idea; what is empty is not asked for.

    `features` may be what the text is about, `groups` have no value yet that somebody chose. `asked` are questions that
    somebody dealt with; at most `most_questions` others are wanted.
    """

    text: str
    features: Sequence[FeatureText] = ()
    groups: Sequence[ListGroup] = ()
    asked: Sequence[str] = ()
    most_questions: int = 0
    wants_name: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked."""
        return not (self.features or self.groups or self.most_questions or self.wants_name)


class IdeaReading(NamedTuple):
    """What holds of a model's answer. None: there is nothing to put in the place of what the embedded engine found.

    Every quote is an exact part of the text, every feature and option one of the material, and the name has words of
    the text in their order.
    """

    name: str | None = None
    matching: Matching | None = None
    questions: list[DraftedQuestion] | None = None
    options: list[SuggestedOption] | None = None
