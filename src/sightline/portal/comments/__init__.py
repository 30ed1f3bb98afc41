"""Comments that customers see and write."""
