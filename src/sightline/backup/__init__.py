"""A copy of everything in one file, and back: `sightline backup` and `sightline restore`.

The file is a gzip-compressed tar, so that `tar -xzf` opens it. In this order:

    manifest.json                 Manifest: format, program, revision, tables with columns and row counts, sequences
    tables/<table>/<8 digits>     the rows as PostgreSQL's COPY writes them in its text format, cut into pieces;
                                  tables in the manifest's order, in which none refers to a later one
    seal.json                     Seal: rows, bytes and SHA-256 of each table, SHA-256 of the manifest

The seal comes last: a file that has it is whole. The reasons are in docs/decisions/0011-backup-format.md.
"""
