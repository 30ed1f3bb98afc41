"""Opportunities that ideas address."""
