"""What a workspace sets up: products and features, accounts, teams, taxonomy, workflow, integrations, sprints."""
