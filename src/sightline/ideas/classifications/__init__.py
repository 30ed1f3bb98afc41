"""Classifications of ideas by the active taxonomy, and their review."""
