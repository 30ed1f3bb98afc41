"""The library: a folder of saved pages, feeds and archives, searched without any account."""

from sightline.sources.library.library import Library

__all__ = ["Library"]
