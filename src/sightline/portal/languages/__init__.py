"""The languages of the pages, and a visitor's choice of one."""
