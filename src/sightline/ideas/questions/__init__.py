"""Open questions about ideas, and their answers."""
