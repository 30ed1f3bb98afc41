"""Plans of research: their bounds, and how they are drafted."""
