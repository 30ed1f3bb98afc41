"""Writes the documents of an initiative from what the workspace holds: composed, never invented."""

from sightline.intelligence.embedded.documents.writer import write_document

__all__ = ["write_document"]
