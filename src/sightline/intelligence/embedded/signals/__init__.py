"""Reading signals: statements of customers in their own words."""
