"""Ideas: candidate solutions, their status, links, matching and classifications."""
