"""The one way to read a list: a page in one statement, by position or by offset, with its total.

`listing.py` says what a list is, `read.py` reads a page of it, `totals.py` keeps totals, `large.py` reads large records
while a page is sent. The statements as PostgreSQL gets them: docs/decisions/0021-feeds.md.
"""
