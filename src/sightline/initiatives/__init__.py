"""Planned bodies of work."""
