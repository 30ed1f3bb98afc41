"""Questions asked of the world: plans, runs, findings, delivery."""
