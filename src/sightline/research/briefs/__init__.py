"""Saved research: a plan, its state, its cadence."""
