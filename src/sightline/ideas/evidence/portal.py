"""The words of a customer's request, as evidence of the idea created from it."""

from uuid import UUID

from sightline.ideas.evidence.queries import add_evidence
from sightline.platform.db import Tx
from sightline.platform.ids import new_id

CATEGORY = "request"


async def add_request_evidence(tx: Tx, workspace_id: UUID, idea_id: UUID, title: str, text: str) -> None:
    """Adds the request's title and text as sent; the text may be empty."""
    evidence = {
        "title": title,
        "description": text,
        "category": CATEGORY,
        "role": "supports",
        "origin": "portal",
        "extracts": [{"text": text or title, "signalId": None}],
        "signal_id": None,
    }
    await add_evidence(tx, workspace_id, idea_id, new_id(), evidence)
