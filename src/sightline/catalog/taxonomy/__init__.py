"""The taxonomy that classifies ideas."""

from sightline.catalog.taxonomy.active import Group, Option, Taxonomy, find_taxonomy
from sightline.catalog.taxonomy.cache import Taxonomies

__all__ = ["Group", "Option", "Taxonomies", "Taxonomy", "find_taxonomy"]
