"""Imported evidence, insights and opportunities."""
