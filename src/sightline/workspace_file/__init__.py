"""A whole workspace as one file: read, applied, exported; and workspaces listed and deleted."""

from sightline.workspace_file.applying import FileRefused, FileUnreadable, apply_file
from sightline.workspace_file.exporting import export_workspace
from sightline.workspace_file.importing import KINDS, Import, Imported
from sightline.workspace_file.reading import ListReader
from sightline.workspace_file.schema import schema
from sightline.workspace_file.tally import Applied, ListCount, RecordChange
from sightline.workspace_file.workspaces import WorkspaceLine, delete_workspace, list_workspaces

__all__ = [
    "KINDS",
    "Applied",
    "FileRefused",
    "FileUnreadable",
    "Import",
    "Imported",
    "ListCount",
    "ListReader",
    "RecordChange",
    "WorkspaceLine",
    "apply_file",
    "delete_workspace",
    "export_workspace",
    "list_workspaces",
    "schema",
]
