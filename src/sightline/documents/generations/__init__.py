"""Generations of documents: requested, carried out by a worker, completed or failed."""
