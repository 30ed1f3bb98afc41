"""Reading signals: statements of customers in their own words."""

from sightline.intelligence.embedded.signals.extraction import extract_insights

__all__ = ["extract_insights"]
