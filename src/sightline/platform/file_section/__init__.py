"""The declarations by which a room describes its part of the workspace file. `workspace_file` reads and writes it.

A room's file.py is mostly a list of tables; a table is a list of fields and links. The things that are the same for
all records are in `workspace_file`: shapes and faults, matching, references, numbers, counts, the trail of changes.
A record's own rules are hooks of its table.
"""

from sightline.platform.file_section.entries import Entry, Faults, Run
from sightline.platform.file_section.fields import Field, Lookup, Reference
from sightline.platform.file_section.tables import Link, Part, Section, Table

__all__ = ["Entry", "Faults", "Field", "Link", "Lookup", "Part", "Reference", "Run", "Section", "Table"]
