"""The embedded PostgreSQL: one server under a data directory, shared by every process that uses it.

`server.py` starts, joins and stops it; `programs.py` runs PostgreSQL's programs.
"""

from .programs import EmbeddedServerError
from .server import EmbeddedServer

__all__ = ["EmbeddedServer", "EmbeddedServerError"]
