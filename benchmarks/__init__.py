"""`make bench`: requests of the API, and beside them in the same run the limit of this machine.

    limit of an operation = time of a constant answer of the same size from the same server
                          + time of the operation's own statements on asyncpg alone

`measure` is the run. What it measures stands in tables: `operations` the requests, `limits` their statements.
"""
