"""Insights: short statements that rest on quotes of signals, and their review."""
