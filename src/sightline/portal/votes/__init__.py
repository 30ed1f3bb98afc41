"""Votes: at most one for each person and idea."""
