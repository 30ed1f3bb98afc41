"""A whole workspace as one file: read, applied, exported."""

from sightline.workspace_file.applying import FileRefused, FileUnreadable, apply_file
from sightline.workspace_file.exporting import export_list, export_workspace
from sightline.workspace_file.schema import schema
from sightline.workspace_file.tally import Applied, ListCount, RecordChange

__all__ = [
    "Applied",
    "FileRefused",
    "FileUnreadable",
    "ListCount",
    "RecordChange",
    "apply_file",
    "export_list",
    "export_workspace",
    "schema",
]
