"""Matching of ideas with the features of their products."""
