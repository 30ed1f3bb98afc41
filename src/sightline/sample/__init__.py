"""A workspace to look at and to copy: written by hand in `workspace.yaml`, made larger by `compose`."""
