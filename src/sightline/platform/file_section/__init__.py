"""The declarations by which a room describes its part of the workspace file. `workspace_file` reads and writes it."""

from sightline.platform.file_section.entries import Entry, Faults, Linked, Run
from sightline.platform.file_section.tables import (
    Column,
    Converted,
    Extra,
    FileRecord,
    KeyedRecord,
    Links,
    Object,
    Part,
    Ref,
    Reference,
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
    "Linked",
    "Links",
    "Object",
    "Part",
    "Ref",
    "Reference",
    "Run",
    "Section",
    "Table",
]
