"""Runs of research: queued, searched section by section, sealed."""
