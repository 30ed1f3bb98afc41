"""The kind of job that writes documents."""

from sightline.platform.jobs.kinds import JobKind

WRITE_DOCUMENT = JobKind("documents.write")
