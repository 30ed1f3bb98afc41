"""The kinds of work that documents leave to a worker."""

from sightline.platform.jobs.kinds import JobKind

WRITE_DOCUMENT = JobKind("documents.write")
