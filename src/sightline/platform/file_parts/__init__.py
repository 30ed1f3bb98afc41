"""The declarations by which a room describes its part of the workspace file. `workspace_file` reads and writes it."""
