"""Workspaces: their members, API keys and plans, and what was deleted in them."""
