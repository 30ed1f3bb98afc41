"""The people who use a portal."""
