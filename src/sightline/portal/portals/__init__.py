"""The portals of the workspaces: their addresses and their sign-in."""
