"""Records of one kind from a file of another tool, or of lines: read, stored in batches, reported."""

from sightline.imports.importing import Import
from sightline.imports.reading import ListReader
from sightline.imports.report import Imported

__all__ = ["Import", "Imported", "ListReader"]
