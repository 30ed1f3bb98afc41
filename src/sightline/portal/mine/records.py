"""What is new about an idea."""

from dataclasses import dataclass

from sightline.catalog.portal_labels import ShownLabel


@dataclass(frozen=True, slots=True)
class IdeaNews:
    """What happened to an idea: the team answered, it is shown to everybody, others wrote so many comments."""

    is_answered: bool = False
    is_shown: bool = False
    comments: int = 0


@dataclass(frozen=True, slots=True)
class ChangedIdea:
    """An idea with news. `status` is set if it is another one."""

    public_id: str
    title: str
    status: ShownLabel | None
    news: IdeaNews
