"""Briefs, PRDs and TDDs of initiatives: generated, versioned, sourced."""
