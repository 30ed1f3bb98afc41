"""The content of a signal in the workspace file: the transcript with its turns, and the raw data.

`signal_raw.raw` is the raw data, and under `transcript` the turns: `{"turns": [...]}`. The summary
that the signal itself stores is computed from the turns: `{turnCount, speakers, durationSeconds}`.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sightline.platform.db import Tx, sql
from sightline.platform.db.updates import same_json
from sightline.platform.file_parts.entries import Entry, Run, sound
from sightline.platform.file_parts.tables import Part
from sightline.signals.material import summarise
from sightline.signals.queries import SAVE_RAW

_FIND = sql("""
SELECT r.signal_id, r.raw
  FROM unnest(:ids::uuid[]) AS w (id)
 CROSS JOIN LATERAL (
       SELECT * FROM signal_raw r WHERE r.workspace_id = :workspace_id AND r.signal_id = w.id OFFSET 0) AS r""")
_REMOVE = sql("DELETE FROM signal_raw WHERE workspace_id = :workspace_id AND signal_id = ANY(:ids)")


class TranscriptPart(Part):
    """Turns are objects of any shape, usually with speaker and text."""

    turns: list[dict[str, Any]] | UnsetType | None = UNSET
    turn_count: Annotated[int, Meta(ge=0)] | UnsetType | None = UNSET
    speakers: list[str] | UnsetType | None = UNSET
    duration_seconds: Annotated[float, Meta(ge=0)] | UnsetType | None = UNSET


async def store_content(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Joins raw data and turns, and stores those that differ; says when a worker reads the signals."""
    giving = [e for e in sound(entries) if "transcript" in e.given or "rawData" in e.given]
    stored = await _find(run.tx, run.workspace_id, [entry.id for entry in giving if not entry.is_new])
    differing: list[tuple[Entry, dict[str, Any] | None]] = []
    for entry in giving:
        before = stored.get(entry.id)
        raw = _together(entry.given, before)
        if "transcript" in entry.given:
            transcript = entry.given["transcript"]
            entry.row["transcript"] = None if transcript is None else summarise(transcript)
        if entry.row["transcript"] is None and (turns := _apart(raw)[1]) is not None:
            entry.row["transcript"] = summarise({"turns": turns})
        if not same_json(raw, before):
            differing.append((entry, raw))
            entry.changed |= set() if entry.is_new else {"rawData"}
    for entry in sound(entries):
        _settle_status(run, entry)
    yield
    written = [(entry.id, raw) for entry, raw in differing if not entry.broken]
    saved = [{"workspace_id": run.workspace_id, "signal_id": id, "raw": raw} for id, raw in written if raw is not None]
    await run.tx.run_many(SAVE_RAW, saved)
    await run.tx.run(_REMOVE, workspace_id=run.workspace_id, ids=[id for id, raw in written if raw is None])


def _settle_status(run: Run, entry: Entry) -> None:
    """Says when a worker reads the signal. The same content again is read again only of a file, after a failure."""
    row, stored = entry.row, entry.stored
    waits = row["status"] in ("pending", "processing")
    if waits and stored and row["name"] == stored["name"] and "rawData" not in entry.changed:
        is_again = run.is_import or stored["status"] != "failed"
        row["status"] = stored["status"] if is_again else row["status"]
    if entry.is_new or row["status"] != stored["status"]:
        row["process_after"] = run.tx.now if waits else None


def _together(given: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns the raw data to store, or None if there is none."""
    raw, turns = _apart(before)
    if "rawData" in given:
        raw, own_turns = _apart(given["rawData"])
        turns = own_turns if own_turns is not None else turns
    if "transcript" in given:
        turns = (given["transcript"] or {}).get("turns")
    if turns is None:
        return raw
    return (raw or {}) | {"transcript": {"turns": turns}}


def _apart(raw: dict[str, Any] | None) -> tuple[dict[str, Any] | None, list[Any] | None]:
    """Returns raw data without the turns, and the turns if `transcript` holds these and nothing else."""
    transcript = (raw or {}).get("transcript")
    if raw is None or not isinstance(transcript, dict) or list(transcript) != ["turns"]:
        return raw, None
    turns = transcript["turns"]
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        return raw, None
    rest = {name: value for name, value in raw.items() if name != "transcript"}
    return rest or None, turns


async def _find(tx: Tx, workspace_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Any]:
    rows = await tx.rows(_FIND, workspace_id=workspace_id, ids=ids) if ids else []
    return {row["signal_id"]: msgspec.json.decode(row["raw"]) for row in rows}


async def show_content(tx: Tx, workspace_id: UUID, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Returns of each signal its source, the transcript with the turns, and the raw data without them."""
    raws = await _find(tx, workspace_id, [row["id"] for row in rows])
    shown = []
    for row in rows:
        raw, turns = _apart(raws.get(row["id"]))
        summary = row["transcript"] and msgspec.json.decode(row["transcript"])
        if turns is not None:
            summary = (summary or summarise({"turns": turns})) | {"turns": turns}
        source = {"type": row["source_type"], "external_data": row["external_data"]}
        shown.append({"source": source, "transcript": summary, "rawData": raw})
    return shown
