"""HTTP: one table of operations, and everything that is read from it."""
