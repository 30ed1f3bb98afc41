"""The big part of a signal in the workspace file: transcripts with their turns, and the raw data.

`signal_raw.raw` is the raw data, and under `transcript` the turns: `{"turns": [...]}`. What the signal itself keeps of
a transcript is counted from the turns: `{turnCount, speakers, durationSeconds}`.
"""

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.db import Tx
from sightline.platform.file_section import Entry, Run
from sightline.platform.file_section.fields import show_json
from sightline.platform.file_section.tables import Showing

_FIND = """
SELECT r.signal_id, r.raw
  FROM unnest($2::uuid[]) AS w (id)
 CROSS JOIN LATERAL (SELECT * FROM signal_raw r WHERE r.workspace_id = $1 AND r.signal_id = w.id OFFSET 0) AS r"""
_SAVE = """
INSERT INTO signal_raw (workspace_id, signal_id, raw) VALUES ($1, $2, $3)
ON CONFLICT (workspace_id, signal_id) DO UPDATE SET raw = excluded.raw"""


class TranscriptPart(Struct, forbid_unknown_fields=True, rename="camel"):
    """Turns are objects of any shape, usually with speaker and text."""

    turns: list[dict[str, Any]] | UnsetType | None = UNSET
    turn_count: Annotated[int, Meta(ge=0)] | UnsetType | None = UNSET
    speakers: list[str] | UnsetType | None = UNSET
    duration_seconds: Annotated[float, Meta(ge=0)] | UnsetType | None = UNSET


def summarise(transcript: dict[str, Any]) -> dict[str, Any]:
    """What is shown of a transcript without reading it."""
    turns = transcript.get("turns") or []
    speakers = [turn["speaker"] for turn in turns if isinstance(turn.get("speaker"), str)]
    return {
        "turnCount": len(turns) if "turns" in transcript else transcript.get("turnCount", 0),
        "speakers": list(dict.fromkeys(speakers)) or transcript.get("speakers") or [],
        "durationSeconds": transcript.get("durationSeconds"),
    }


async def settle_raw(run: Run, entries: Sequence[Entry]) -> None:
    """Puts raw data and turns together, and notes where that differs from what is stored."""
    giving = [e for e in entries if not e.broken and ("transcript" in e.given or "rawData" in e.given)]
    stored = await _find(run.tx, run.workspace_id, [entry.id for entry in giving if not entry.is_new])
    for entry in giving:
        before = stored.get(entry.id)
        raw = _together(entry.given, before)
        if "transcript" in entry.given:
            transcript = entry.given["transcript"]
            entry.row["transcript"] = None if transcript is None else summarise(transcript)
        if entry.row["transcript"] is None and (turns := _apart(raw)[1]) is not None:
            entry.row["transcript"] = summarise({"turns": turns})
        if raw != before:
            entry.notes["raw"] = raw
            if not entry.is_new:
                entry.changed.add("rawData")


def _together(given: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any] | None:
    """The raw data as it is to be stored; None for none at all."""
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
    """Raw data without the turns, and the turns: where `transcript` holds them and nothing else."""
    transcript = (raw or {}).get("transcript")
    if raw is None or not isinstance(transcript, dict) or list(transcript) != ["turns"]:
        return raw, None
    turns = transcript["turns"]
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        return raw, None
    rest = {name: value for name, value in raw.items() if name != "transcript"}
    return rest or None, turns


async def write_raw(run: Run, entries: list[Entry]) -> None:
    """Stores what settle_raw() noted."""
    moved = [entry for entry in entries if "raw" in entry.notes and entry.notes["raw"] is not None]
    rows = [(run.workspace_id, entry.id, entry.notes["raw"]) for entry in moved]
    if rows:
        await run.tx.run_many(_SAVE, rows)
    gone = [entry.id for entry in entries if "raw" in entry.notes and entry.notes["raw"] is None]
    if gone:
        await run.tx.run(
            "DELETE FROM signal_raw WHERE workspace_id = $1 AND signal_id = ANY($2)", run.workspace_id, gone
        )


async def _find(tx: Tx, workspace_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Any]:
    rows = await tx.rows(_FIND, workspace_id, list(ids)) if ids else []
    return {row["signal_id"]: msgspec.json.decode(row["raw"]) for row in rows}


async def show_raw(tx: Tx, workspace_id: UUID, rows: Sequence[Any]) -> Showing:
    """What shows of a signal its transcript with the turns, and the raw data without them."""
    found = await tx.rows(_FIND, workspace_id, [row["id"] for row in rows])
    raws = {row["signal_id"]: row["raw"] for row in found}

    def show(row: Any) -> dict[str, Any]:
        raw, turns = _apart(show_json(raws.get(row["id"])))
        return {"transcript": _show_transcript(show_json(row["transcript"]), turns), "rawData": raw}

    return show


def _show_transcript(summary: dict[str, Any] | None, turns: list[Any] | None) -> dict[str, Any] | None:
    if summary is None and turns is None:
        return None
    shown = dict(summary or summarise({"turns": turns}))
    return shown if turns is None else shown | {"turns": turns}
