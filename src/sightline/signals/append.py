"""Appending passages to a signal that another room has delivered. Decisions: Research."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.refs import SignalRef
from sightline.signals import queries
from sightline.signals.change import find_changed, store
from sightline.signals.processing import request
from sightline.signals.raw_data import raw_of


async def append_passages(
    tx: Tx, actor: Actor, id: UUID, passages: Sequence[str], external_data: dict[str, Any]
) -> None:
    """Appends the passages that the text lacks, each as a paragraph, and sets members of `source.external_data`.

    A signal whose text changes is processed again. Raises NotFound.
    """
    before = await queries.lock_signal(tx, actor.workspace_id, SignalRef(id=id))
    tx = tx.later()
    raw = await queries.find_raw(tx, actor.workspace_id, id) or {}
    text = raw.get("text") or ""
    missing = [passage for passage in passages if passage not in text]
    stored = queries.decoded(before["external_data"])
    columns = find_changed({"external_data": stored | external_data}, before)
    if missing:
        appended = "\n\n".join([text, *missing] if text else missing)
        await queries.save_raw(tx, actor.workspace_id, id, raw_of(raw, text=appended))
        columns |= request.again(tx, before["analysis_profile"])
    await store(tx, actor, before, columns, has_new_accounts=False)
