"""`make bench`: requests per second, and beside them in the same run the limit of this machine.

    limit of an operation = time of a constant answer of the same size from the same server
                          + time of the operation's own statements on asyncpg alone

`rows` is the table of what is measured: `operations` has the requests, `limits` their statements. `measure` is the run,
`stage` what runs meanwhile, `rounds` the arithmetic. `against` compares two commits, with `sides` and `workspace`.
"""
