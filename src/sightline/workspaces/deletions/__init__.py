"""Deleted records, listed so that copies can remove them."""
