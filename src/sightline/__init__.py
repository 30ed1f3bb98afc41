"""Sightline, a self-hosted product discovery service."""

__version__ = "0.1.0"
