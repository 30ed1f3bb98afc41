"""The accounts that a person belongs to."""
