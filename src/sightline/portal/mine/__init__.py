"""The ideas that a person requested or votes for."""
