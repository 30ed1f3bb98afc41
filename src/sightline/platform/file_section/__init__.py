"""The declarations by which a room describes its part of the workspace file. `workspace_file` reads and writes it."""

from sightline.platform.file_section.entries import Entry, Faults, Linked, Run, sound
from sightline.platform.file_section.tables import (
    Column,
    Converted,
    Extra,
    FileRecord,
    KeyedRecord,
    Link,
    Links,
    Object,
    Part,
    Section,
    Table,
)

__all__ = [
    "Column",
    "Converted",
    "Entry",
    "Extra",
    "Faults",
    "FileRecord",
    "KeyedRecord",
    "Link",
    "Linked",
    "Links",
    "Object",
    "Part",
    "Run",
    "Section",
    "Table",
    "sound",
]
