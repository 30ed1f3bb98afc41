"""API keys: their form, and how they are created, listed, revoked and rolled."""
