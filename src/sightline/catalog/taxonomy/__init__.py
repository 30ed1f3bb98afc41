"""The taxonomy that classifies ideas."""

from sightline.catalog.taxonomy.cache import Taxonomies
from sightline.catalog.taxonomy.groups import Group, Option, Taxonomy, find_taxonomy

__all__ = ["Group", "Option", "Taxonomies", "Taxonomy", "find_taxonomy"]
