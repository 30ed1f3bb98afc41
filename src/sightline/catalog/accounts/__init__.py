"""Accounts, the customers, and how evidence names them."""
