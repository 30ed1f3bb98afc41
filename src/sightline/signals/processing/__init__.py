"""Processing a signal: its text becomes insights with exact quotes."""
