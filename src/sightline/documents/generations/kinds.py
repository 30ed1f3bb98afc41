"""The kind of job that writes documents."""

from sightline.platform.jobs import JobKind

WRITE_DOCUMENT = JobKind("documents.write")
