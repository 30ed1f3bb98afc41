"""Comments on ideas."""
