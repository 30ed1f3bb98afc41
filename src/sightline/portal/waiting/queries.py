"""The SQL of forms that wait for a sign-in. The database has only hashes of browsers and addresses."""

from datetime import timedelta
from uuid import UUID

from msgspec import json

from sightline.platform.db import Tx, sql
from sightline.platform.ids import derived_id
from sightline.portal.sessions.queries import hash_of
from sightline.portal.waiting.records import SentForm

LIFE = timedelta(minutes=15)
LARGEST = 32 * 1024
MOST_OF_ADDRESS = 5
MOST = 1000  # of all workspaces

_IN_TURN = sql("SELECT pg_advisory_xact_lock(hashtextextended('portal waiting forms', 0))")
_ADD = sql("""
    INSERT INTO portal_waiting_forms
           (workspace_id, id, browser_hash, network_hash, path, fields, created_at, expires_at)
    VALUES (:workspace_id, :id, :browser_hash, :network_hash, :path, :fields, :now, :expires_at)
    ON CONFLICT (workspace_id, id) DO UPDATE SET created_at = :now, expires_at = :expires_at""")
# Of all workspaces at once, as the bounds are those of the server.
FORGET_ENDED = sql("DELETE FROM portal_waiting_forms WHERE workspace_id IS NOT NULL AND expires_at < :now")
_SURPLUS = sql("""
    SELECT id FROM portal_waiting_forms WHERE workspace_id IS NOT NULL ORDER BY created_at DESC, id OFFSET :most""")
_SURPLUS_OF_ADDRESS = sql("""
    SELECT id FROM portal_waiting_forms WHERE workspace_id IS NOT NULL AND network_hash = :network_hash
     ORDER BY created_at DESC, id OFFSET :most""")
_FORGET_THESE = sql("DELETE FROM portal_waiting_forms WHERE workspace_id IS NOT NULL AND id = ANY(:ids)")
_LIST = sql("""
    SELECT path, fields, id FROM portal_waiting_forms
     WHERE workspace_id = :workspace_id AND browser_hash = :browser_hash AND expires_at >= :now
     ORDER BY created_at, id""")
FORGET = sql("""
    DELETE FROM portal_waiting_forms
     WHERE workspace_id = :workspace_id AND id = :id AND browser_hash = :browser_hash""")


async def add_waiting(tx: Tx, workspace_id: UUID, browser: str, network: str, form: SentForm) -> bool:
    """Keeps a form for 15 minutes, and forgets the oldest beyond the bounds. Returns False if it is too large.

    The same form sent again is kept once. `tx` is a transaction, in which others wait for their turn.
    """
    fields = json.encode(form.fields)
    if len(fields) > LARGEST:
        return False
    await tx.run(_IN_TURN)
    await tx.run(FORGET_ENDED)
    await tx.run(
        _ADD,
        workspace_id=workspace_id,
        id=derived_id(browser, form.path, fields.decode()),
        browser_hash=hash_of(browser),
        network_hash=hash_of(network),
        path=form.path,
        fields=form.fields,
        expires_at=tx.now + LIFE,
    )
    surplus = await tx.rows(_SURPLUS_OF_ADDRESS, network_hash=hash_of(network), most=MOST_OF_ADDRESS)
    surplus += await tx.rows(_SURPLUS, most=MOST)
    await tx.run(_FORGET_THESE, ids=[row["id"] for row in surplus])
    return True


async def list_waiting(tx: Tx, workspace_id: UUID, browser: str) -> list[SentForm]:
    """Returns the forms that wait for this browser, the oldest first."""
    rows = await tx.rows(_LIST, workspace_id=workspace_id, browser_hash=hash_of(browser))
    return [SentForm(row["path"], json.decode(row["fields"], type=dict[str, str]), row["id"]) for row in rows]
