"""Studies and the feed of their feedback."""
