"""A clientRequestId creates one initiative. The same request again returns it, another one is 409.

Specification: POST /initiatives; decisions: Initiatives.
"""

from hashlib import sha256

import msgspec

from sightline.initiatives import queries
from sightline.initiatives.records import DEFAULT_PRIORITY, Initiative, NewInitiative
from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.errors import RequestIdReused
from sightline.platform.wire import Versioned

_REPLAYED = ((b"idempotent-replayed", b"true"),)


async def find_created(tx: Tx, actor: Actor, new_initiative: NewInitiative) -> Versioned[Initiative] | None:
    """Returns the initiative of this request id, or None. Raises RequestIdReused if another request created it."""
    requested = await queries.find_requested(tx, actor.workspace_id, new_initiative.client_request_id)
    if requested is None:
        return None
    if requested.request_hash != request_hash(new_initiative):
        raise RequestIdReused("This clientRequestId was used with another body.", field="clientRequestId")
    return Versioned(requested.current.record, requested.current.tag, _REPLAYED)


def request_hash(new_initiative: NewInitiative) -> bytes:
    """Returns the hash of the normalised request, with defaults filled in and teams in a fixed order."""
    teams = sorted(str(team) for team in new_initiative.team_ids)
    normalised = [
        new_initiative.name,
        new_initiative.description or "",
        teams,
        new_initiative.product_id,
        new_initiative.priority or DEFAULT_PRIORITY,
    ]
    return sha256(msgspec.json.encode(normalised)).digest()
