"""Teams that work is assigned to."""
