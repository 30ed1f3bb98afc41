"""The ideas that a portal shows: lists, one idea, search."""
