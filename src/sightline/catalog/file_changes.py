"""Changes of the catalogue by a file that other sections of the file depend on."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(slots=True)
class CatalogChanges:
    """`named_labels`: labels in the file. `vanished_options`: options that the taxonomy no longer has."""

    named_labels: list[Any] = field(default_factory=list)
    renamed_teams: list[UUID] = field(default_factory=list)
    vanished_options: list[UUID] = field(default_factory=list)
