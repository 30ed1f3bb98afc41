"""A form that was sent and not saved."""

import re
from typing import NamedTuple
from uuid import UUID

from sightline.web.languages.catalogue import N_

TEXTS = ("title", "text", "body")
_HIDDEN = ("vote", "back", "form_id", "confirmed", "waiting")
_PATH = re.compile(r"/request|/ideas/([A-Za-z0-9-]{1,64})/(?:vote|comments)")
_VOTE, _UNVOTE = N_("Vote for %(idea)s"), N_("Take back the vote for %(idea)s")
_COMMENT, _REQUEST = N_("Send the comment on %(idea)s"), N_("Send the request")


class SentForm(NamedTuple):
    """A vote, a comment or a request: its path, and the fields that a person or a page filled in.

    `id` is set while it waits for a sign-in.
    """

    path: str
    fields: dict[str, str]
    id: UUID | None = None

    @property
    def idea(self) -> str:
        found = _PATH.fullmatch(self.path)
        return found[1] or "" if found else ""

    @property
    def button(self) -> str:
        """The text of its button, with a place for the idea."""
        if self.path.endswith("/vote"):
            return _VOTE if self.fields.get("vote") == "1" else _UNVOTE
        return _COMMENT if self.idea else _REQUEST

    @property
    def hidden(self) -> dict[str, str]:
        """The fields that its next sending repeats unseen."""
        own = {name: text for name, text in self.fields.items() if name in _HIDDEN}
        return own | ({"waiting": str(self.id)} if self.id else {})


def as_sent_form(path: str, fields: dict[str, str]) -> SentForm | None:
    """Returns the form to be sent again, or None if the path takes none that has to be kept."""
    if _PATH.fullmatch(path) is None:
        return None
    return SentForm(path, {name: fields[name] for name in (*TEXTS, *_HIDDEN) if fields.get(name)})
