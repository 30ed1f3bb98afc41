"""Opportunities in the workspace file."""

from sightline.platform.file_section import Table
from sightline.platform.file_section import fields as of

OPPORTUNITIES = Table(
    "opportunities",
    "opportunities",
    (of.name(), of.text("description")),
    kind="opportunity",
    versioned="version",
    counted="opportunity",
)
