"""Tenants: workspaces, their members, API keys and plans."""
