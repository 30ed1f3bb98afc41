"""Evidence linked to ideas."""
