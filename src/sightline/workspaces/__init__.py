"""Workspaces: their members, API keys and plans."""
