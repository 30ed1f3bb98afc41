"""Forms that were not saved: shown again, and kept for people who have to sign in first."""
