"""Requests: new ideas in the words of customers."""
