"""A whole workspace as one file: read, applied, exported."""

from sightline.workspace_file.applying import FileRefused, FileUnreadable, apply_file
from sightline.workspace_file.exporting import export_list, export_workspace
from sightline.workspace_file.importing import KINDS, Import
from sightline.workspace_file.imports.report import Imported
from sightline.workspace_file.reading import ListReader
from sightline.workspace_file.schema import schema
from sightline.workspace_file.tally import Applied, ListCount, RecordChange

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
    "apply_file",
    "export_list",
    "export_workspace",
    "schema",
]
