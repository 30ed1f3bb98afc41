"""A sample workspace: written by hand in `workspace.yaml`, extended by `compose`."""
