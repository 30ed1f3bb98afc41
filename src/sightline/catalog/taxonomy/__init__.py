"""The taxonomy that classifies ideas."""

from sightline.catalog.taxonomy.groups import Group, GroupOption, Taxonomy, find_taxonomy, find_version

__all__ = ["Group", "GroupOption", "Taxonomy", "find_taxonomy", "find_version"]
