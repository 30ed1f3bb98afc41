"""How a room declares its part of the workspace file. `workspace_file` reads and writes what is declared here.

A room's section.py is mostly a list of tables; a table is a list of fields and links. Everything that is the same for
all records stands once, in `workspace_file`: shapes and faults, matching, references, numbers, counts, the trail.
What is special to a record is a hook of its table.
"""

from sightline.platform.file_section.entries import Entry, Faults, Run
from sightline.platform.file_section.fields import Field, Lookup, Reference
from sightline.platform.file_section.tables import Link, Part, Section, Table

__all__ = ["Entry", "Faults", "Field", "Link", "Lookup", "Part", "Reference", "Run", "Section", "Table"]
