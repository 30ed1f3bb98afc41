"""Accounts as evidence names them: found by an exact match, made only when that is asked for. Decisions: Signals."""

from typing import NamedTuple
from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.ids import new_id
from sightline.workspaces.bulk import add_to_counts
from sightline.workspaces.changes import log_change


class KnownAs(NamedTuple):
    """What is said of an account."""

    id: UUID | None = None
    external_id: str | None = None
    domain: str | None = None
    name: str | None = None


_MATCHES = """
SELECT id FROM accounts WHERE workspace_id = $1 AND id = $2
UNION SELECT id FROM accounts WHERE workspace_id = $1 AND external_id = $3
UNION SELECT id FROM accounts WHERE workspace_id = $1 AND lower(domain) = lower($4)
LIMIT 2"""
_ADD = """
INSERT INTO accounts (workspace_id, id, external_id, name, domain, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT DO NOTHING"""
# Two who make an account of one domain at once come one after the other.
_IN_TURN = "SELECT pg_advisory_xact_lock(hashtextextended($1::uuid::text || ':' || lower($2), 7))"


async def find_account(tx: Tx, workspace_id: UUID, known: KnownAs) -> list[UUID]:
    """Accounts with this id, external id or domain: none, the only one, or two of several."""
    rows = await tx.rows(_MATCHES, workspace_id, known.id, known.external_id, known.domain)
    return [row[0] for row in rows]


async def find_or_add_account(tx: Tx, actor: Actor, known: KnownAs) -> UUID | None:
    """The only account that matches; a new one when none does and there is a name for it; None when several do."""
    name = known.name or known.domain or known.external_id
    if known.domain is not None:
        await tx.run(_IN_TURN, actor.workspace_id, known.domain)
    found = await find_account(tx, actor.workspace_id, known)
    if not found and name is not None and known.id is None:
        id = new_id()
        if await tx.run(_ADD, actor.workspace_id, id, known.external_id, name, known.domain, tx.now):
            await log_change(tx, actor, "account", id, None, "created")
            await add_to_counts(tx, actor.workspace_id, {"account": 1})
            return id
        found = await find_account(tx, actor.workspace_id, known)
    return found[0] if len(found) == 1 else None
