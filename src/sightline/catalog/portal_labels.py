"""How the portal shows the labels of the workflow: by default as they are called, with a kind by their name."""

from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct, json

LabelKind = Literal["open", "planned", "building", "done", "declined"]
OPEN: LabelKind = "open"

_NAMES: dict[LabelKind, str] = {
    "planned": "planned, scheduled, next, geplant, eingeplant, planifié, prévu",
    "building": "being built, building, in progress, in development, started, doing, in arbeit, in umsetzung, en cours",
    "done": (
        "done, delivered, shipped, released, completed, complete, live, fertig, erledigt, umgesetzt, ausgeliefert, "
        "livré, terminé"
    ),
    "declined": "declined, rejected, not planned, won't do, wontfix, abgelehnt, nicht geplant, refusé, rejeté",
}
KIND_BY_NAME = {name: kind for kind, names in _NAMES.items() for name in names.split(", ")}


class PortalLabel(Struct, forbid_unknown_fields=True):
    """The settings of a label in the workspace file. What is null or omitted is as the label's name suggests."""

    kind: LabelKind | None = None
    name: Annotated[str, Meta(min_length=1, max_length=120, pattern=r"\S")] | None = None
    shown: bool | None = None


class ShownLabel(NamedTuple):
    """A status as customers read it."""

    kind: LabelKind
    name: str


@lru_cache(maxsize=1000)
def shown_label(label: str, settings: str | None) -> ShownLabel | None:
    """Returns what customers read for a label, or None if they do not see it. `settings` is the stored JSON."""
    given = PortalLabel() if settings is None else json.decode(settings, type=PortalLabel)
    if given.shown is False:
        return None
    return ShownLabel(given.kind or KIND_BY_NAME.get(label.strip().lower(), OPEN), given.name or label)
