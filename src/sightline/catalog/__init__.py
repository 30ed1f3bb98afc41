"""The catalogue of a workspace: products, features, accounts, teams, taxonomy, workflow, integrations, sprints."""
