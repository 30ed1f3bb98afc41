"""A sample workspace: written by hand in `workspace.yaml` and `research.yaml`."""
