"""Reading signals: what customers say, found in their own words and never in others."""

from sightline.intelligence.embedded.signals.extraction import extract_insights

__all__ = ["extract_insights"]
