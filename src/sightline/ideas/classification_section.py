"""The classifications of ideas in the workspace file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.db import Tx
from sightline.platform.file_section import Entry, Run
from sightline.platform.file_section.fields import show_moment
from sightline.platform.file_section.tables import Showing
from sightline.platform.wire import Moment

_STATES = Literal["unreviewed", "accepted", "rejected", "corrected", "unassigned"]
_COLUMNS = ("option_ids", "text_value", "review_state", "origin")


class ClassificationPart(Struct, forbid_unknown_fields=True, rename="camel"):
    """The value of one group: keys or labels of options, or a text."""

    group_key: str
    option_values: list[str] | UnsetType = UNSET
    text_value: Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"\S")] | UnsetType | None = UNSET
    review_state: _STATES | UnsetType = UNSET
    origin: Literal["api", "suggested", "manual"] | UnsetType | None = UNSET
    updated_at: str | UnsetType = UNSET


@dataclass
class _Group:
    id: UUID
    kind: str
    mode: str | None
    keys: dict[str, UUID] = field(default_factory=dict)
    labels: dict[str, UUID] = field(default_factory=dict)

    def find(self, value: str) -> UUID | None:
        return self.keys.get(value) or self.labels.get(value)


_GROUPS = "SELECT id, key, kind, selection_mode FROM taxonomy_groups WHERE workspace_id = $1"
_OPTIONS = "SELECT id, group_id, key, label, is_active FROM taxonomy_options WHERE workspace_id = $1 ORDER BY is_active"
_VERSIONS = "SELECT id, version, is_active FROM taxonomy_versions WHERE workspace_id = $1"
_VALUES = """
SELECT c.idea_id, c.group_id, c.option_ids, c.text_value, c.review_state, c.origin, c.updated_at
  FROM unnest($2::uuid[]) AS w (id)
 CROSS JOIN LATERAL (SELECT * FROM idea_classifications c
                      WHERE c.workspace_id = $1 AND c.idea_id = w.id OFFSET 0) AS c"""
_SAVE = """
INSERT INTO idea_classifications
       (workspace_id, idea_id, group_id, option_ids, text_value, review_state, origin, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (workspace_id, idea_id, group_id) DO UPDATE
   SET option_ids = excluded.option_ids, text_value = excluded.text_value, review_state = excluded.review_state,
       origin = excluded.origin, updated_at = excluded.updated_at"""
_DISTRUST = """
UPDATE idea_classifications SET review_state = 'unreviewed', updated_at = $3
 WHERE workspace_id = $1 AND option_ids && $2::uuid[] AND review_state <> 'unreviewed'"""


async def distrust_vanished_options(run: Run) -> None:
    """Values with an option that the taxonomy no longer has need another look."""
    if vanished := run.notes.get("vanished options"):
        await run.tx.run(_DISTRUST, run.workspace_id, vanished, run.tx.now)


async def _taxonomy(run: Run) -> tuple[dict[str, _Group], dict[int, UUID], UUID | None]:
    """Groups by key, versions by number, and the active version; read once for all ideas."""
    if "taxonomy" not in run.notes:
        groups = {
            row["key"]: _Group(row["id"], row["kind"], row["selection_mode"])
            for row in await run.tx.rows(_GROUPS, run.workspace_id)
        }
        by_id = {group.id: group for group in groups.values()}
        for row in await run.tx.rows(_OPTIONS, run.workspace_id):
            by_id[row["group_id"]].keys[row["key"]] = row["id"]
            by_id[row["group_id"]].labels[row["label"]] = row["id"]
        rows = await run.tx.rows(_VERSIONS, run.workspace_id)
        active = next((row["id"] for row in rows if row["is_active"]), None)
        run.notes["taxonomy"] = groups, {row["version"]: row["id"] for row in rows}, active
    found: tuple[dict[str, _Group], dict[int, UUID], UUID | None] = run.notes["taxonomy"]
    return found


async def settle_classifications(run: Run, entries: Sequence[Entry]) -> None:
    """Finds groups and options, and notes what differs from what is stored."""
    giving = [e for e in entries if e.given.get("classifications") or e.given.get("taxonomyVersion")]
    if not giving:
        return
    groups, versions, active = await _taxonomy(run)
    stored = await _stored(run, [entry.id for entry in giving if not entry.is_new])
    for entry in giving:
        values = _read_all(run, entry, groups, stored)
        entry.notes["classifications"] = values
        if values and not entry.is_new:
            entry.changed.add("classifications")
        if values:
            entry.row["taxonomy_version_id"] = active
        if (version := entry.given.get("taxonomyVersion")) is not None:
            if version not in versions:
                run.refuse(entry, "taxonomyVersion", f"The taxonomy has no version {version}")
            entry.row["taxonomy_version_id"] = versions.get(version)


async def _stored(run: Run, ids: Sequence[UUID]) -> dict[tuple[UUID, UUID], Any]:
    rows = await run.tx.rows(_VALUES, run.workspace_id, list(ids)) if ids else []
    return {(row["idea_id"], row["group_id"]): row for row in rows}


def _read_all(
    run: Run, entry: Entry, groups: dict[str, _Group], stored: dict[tuple[UUID, UUID], Any]
) -> list[list[Any]]:
    """The rows to be stored: those that differ from what is."""
    seen: set[str] = set()
    rows = []
    for index, given in enumerate(entry.given.get("classifications") or ()):
        here = f"classifications[{index}]"
        key = given["groupKey"]
        if key in seen:
            run.refuse(entry, f"{here}.groupKey", f"The group {key!r} stands here twice")
        elif (group := groups.get(key)) is None:
            entry.broken = True
            if "taxonomy" not in run.notes["faulty"]:
                run.refuse(entry, f"{here}.groupKey", f"The taxonomy has no group {key!r}")
        elif _fits(run, entry, here, given, group):
            row = _read_one(run, entry, here, given, group, stored.get((entry.id, group.id)))
            rows += [row] if row else []
        seen.add(key)
    return rows


def _fits(run: Run, entry: Entry, here: str, given: dict[str, Any], group: _Group) -> bool:
    if group.kind == "text" and given.get("optionValues"):
        run.refuse(entry, f"{here}.optionValues", "A text group takes a textValue")
    elif group.kind == "list" and given.get("textValue") is not None:
        run.refuse(entry, f"{here}.textValue", "A list group takes optionValues")
    elif group.mode == "single" and len(set(given.get("optionValues", ()))) > 1:
        run.refuse(entry, f"{here}.optionValues", "The group takes one option at most")
    else:
        return True
    return False


def _read_one(run: Run, entry: Entry, here: str, given: dict[str, Any], group: _Group, was: Any) -> list[Any] | None:
    """The row to be stored, or None when it says what is stored already."""
    options = _find_options(run, entry, here, given, group, was)
    text = given.get("textValue", was["text_value"] if was else None)
    same = was is not None and (was["option_ids"], was["text_value"]) == (options, text)
    state = given.get("reviewState", was["review_state"] if same else "unreviewed")
    origin = given.get("origin", was["origin"] if was else "manual")
    updated = _updated_at(run, entry, here, given)
    becomes = (options, text, state, origin)
    known = was is not None and becomes == tuple(was[column] for column in _COLUMNS)
    if known and updated in (None, was["updated_at"]):
        return None
    return [group.id, *becomes, updated or run.tx.now]


def _find_options(run: Run, entry: Entry, here: str, given: dict[str, Any], group: _Group, was: Any) -> list[UUID]:
    if "optionValues" not in given:
        return list(was["option_ids"]) if was else []
    found: dict[UUID, None] = {}
    for index, value in enumerate(given["optionValues"]):
        if (option := group.find(value)) is not None:
            found[option] = None
        elif "taxonomy" not in run.notes["faulty"]:
            run.refuse(entry, f"{here}.optionValues[{index}]", f"The group has no option {value!r}")
    return list(found)


def _updated_at(run: Run, entry: Entry, here: str, given: dict[str, Any]) -> Any:
    try:
        return Moment.read(given["updatedAt"]) if "updatedAt" in given else None
    except ValueError as error:
        run.refuse(entry, f"{here}.updatedAt", str(error))
        return None


async def write_classifications(run: Run, entries: list[Entry]) -> None:
    """All at once where nothing can be stored yet."""
    rows: dict[bool, list[tuple[Any, ...]]] = {True: [], False: []}
    for entry in entries:
        for value in entry.notes.get("classifications", ()):
            rows[entry.is_new].append((run.workspace_id, entry.id, *value))
    if rows[True]:
        columns = ("workspace_id", "idea_id", "group_id", *_COLUMNS, "updated_at")
        await run.tx.connection.copy_records_to_table("idea_classifications", records=rows[True], columns=columns)
    if rows[False]:
        await run.tx.run_many(_SAVE, rows[False])


_SHOW = """
SELECT c.idea_id, g.key, c.text_value, c.review_state, c.origin, c.updated_at,
       ARRAY(SELECT o.key FROM unnest(c.option_ids) WITH ORDINALITY AS l (id, place)
               JOIN taxonomy_options o ON o.workspace_id = c.workspace_id AND o.id = l.id ORDER BY l.place) AS options
  FROM unnest($2::uuid[]) AS w (id)
 CROSS JOIN LATERAL (SELECT * FROM idea_classifications c
                      WHERE c.workspace_id = $1 AND c.idea_id = w.id OFFSET 0) AS c
  JOIN taxonomy_groups g ON g.workspace_id = c.workspace_id AND g.id = c.group_id
 ORDER BY c.idea_id, NOT g.is_active, g.position, g.id"""


async def show_classifications(tx: Tx, workspace_id: UUID, rows: Sequence[Any]) -> Showing:
    """What shows of an idea its values by the groups' keys, and the number of the version they were given in."""
    versions = {row["id"]: row["version"] for row in await tx.rows(_VERSIONS, workspace_id)}
    values: dict[UUID, list[dict[str, Any]]] = {}
    for row in await tx.rows(_SHOW, workspace_id, [row["id"] for row in rows]):
        shown = {"groupKey": row["key"], "optionValues": row["options"], "textValue": row["text_value"]}
        shown |= {"reviewState": row["review_state"], "origin": row["origin"]}
        values.setdefault(row["idea_id"], []).append(shown | {"updatedAt": show_moment(row["updated_at"])})

    def show(row: Any) -> dict[str, Any]:
        version = versions.get(row["taxonomy_version_id"])
        return {"taxonomyVersion": version, "classifications": values.get(row["id"], [])}

    return show
