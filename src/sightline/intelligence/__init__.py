"""Finds, quotes and drafts: engines behind one protocol. Knows no database and no HTTP."""
