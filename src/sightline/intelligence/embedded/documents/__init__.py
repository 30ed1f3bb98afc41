"""Writes the documents of an initiative from what the workspace holds: composed, never invented."""
