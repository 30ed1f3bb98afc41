"""The settings of a portal."""

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from msgspec import Meta

# A host name in lower case, with an optional port.
Host = Annotated[
    str,
    Meta(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?\Z", max_length=253, examples=["ideas.example.com"]),
]

# In the order of Portal's fields.
COLUMNS = """
    workspace_id, alias, host, name, intro, accent_color, language, comments_enabled, requests_visible,
    remote_login_url, remote_logout_url, secret"""


@dataclass(frozen=True, slots=True)
class Portal:
    """`secret` is encrypted."""

    workspace_id: UUID
    alias: str
    host: str | None
    name: str
    intro: str
    accent_color: str
    language: str
    comments_enabled: bool
    requests_visible: bool
    remote_login_url: str | None
    remote_logout_url: str | None
    secret: bytes | None
