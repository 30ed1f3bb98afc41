"""The classifications of ideas in the workspace file."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.catalog.taxonomy import Group
from sightline.ideas.classifications.queries import StoredValue, copy_values, distrust, find_values, save_values
from sightline.ideas.classifications.records import ClassificationReviewState, TextValue, ValueOrigin
from sightline.platform.db import Tx, sql
from sightline.platform.file_parts.entries import Entry, Run
from sightline.platform.file_parts.tables import Part
from sightline.platform.wire import Moment, shown_moment


class ClassificationPart(Part):
    """The value of one group: keys or labels of options, or a text."""

    group_key: str
    option_values: list[str] | UnsetType = UNSET
    text_value: TextValue | UnsetType | None = UNSET
    review_state: ClassificationReviewState | UnsetType = UNSET
    origin: ValueOrigin | UnsetType | None = UNSET
    updated_at: Moment | UnsetType = UNSET


class _Named(NamedTuple):
    """A group, active or not, and the ids of all its options by key and label."""

    group: Group
    options: dict[str, UUID]


_GROUPS = sql("""
SELECT id, key, label, kind, selection_mode, required FROM taxonomy_groups WHERE workspace_id = :workspace_id""")
# Of several with one name the last counts: a key, an active one.
_OPTIONS = sql("""
SELECT o.id, o.group_id, named.name
  FROM taxonomy_options AS o CROSS JOIN LATERAL (VALUES (o.label, false), (o.key, true)) AS named (name, is_key)
 WHERE o.workspace_id = :workspace_id ORDER BY is_key, o.is_active""")
_VERSIONS = sql("SELECT id, version, is_active FROM taxonomy_versions WHERE workspace_id = :workspace_id")

_MOVE_IDEAS = sql("""
UPDATE ideas SET updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND id IN
       (SELECT idea_id FROM idea_classifications
         WHERE workspace_id = :workspace_id AND (group_id = ANY(:changed::uuid[]) OR option_ids && :changed::uuid[]))
""")


async def follow_taxonomy(run: Run) -> AsyncIterator[None]:
    """Ideas that lose or regain values with the taxonomy change; values with a vanished option are unreviewed."""
    if vanished := run.notes["vanished options"]:
        await distrust(run.tx, run.workspace_id, vanished)
    if changed := run.notes["changed in taxonomy"]:
        await run.tx.run(_MOVE_IDEAS, workspace_id=run.workspace_id, changed=changed)
    yield


async def _groups(run: Run) -> dict[str, _Named]:
    """Returns the groups by key."""
    rows = await run.tx.rows(_GROUPS, workspace_id=run.workspace_id)
    options: dict[UUID, dict[str, UUID]] = {row["id"]: {} for row in rows}
    for row in await run.tx.rows(_OPTIONS, workspace_id=run.workspace_id):
        options[row["group_id"]][row["name"]] = row["id"]
    return {row["key"]: _Named(Group(**row), options[row["id"]]) for row in rows}


@asynccontextmanager
async def classified(run: Run, entries: Sequence[Entry]) -> AsyncIterator[None]:
    """Resolves groups and options, and stores the values that differ from the stored ones."""
    giving = [e for e in entries if e.given.get("classifications") or e.given.get("taxonomyVersion")]
    groups = await _groups(run) if giving else {}
    versions = await run.tx.rows(_VERSIONS, workspace_id=run.workspace_id) if giving else []
    active = next((row["id"] for row in versions if row["is_active"]), None)
    known = [entry.id for entry in giving if not entry.is_new]
    stored = await find_values(run.tx, run.workspace_id, known) if known else {}
    differing: list[tuple[Entry, list[StoredValue]]] = []
    for entry in giving:
        if values := _read_all(run, entry, groups, stored):
            entry.row["taxonomy_version_id"] = active
            differing.append((entry, values))
            entry.changed |= set() if entry.is_new else {"classifications"}
        if (version := entry.given.get("taxonomyVersion")) is not None:
            entry.row["taxonomy_version_id"] = next((row["id"] for row in versions if row["version"] == version), None)
            if entry.row["taxonomy_version_id"] is None:
                run.refuse(entry, "taxonomyVersion", f"The taxonomy has no version {version}")
    yield
    for is_new, save in ((True, copy_values), (False, save_values)):  # COPY is faster
        found = [one for entry, values in differing if entry.is_new == is_new and not entry.broken for one in values]
        if found:
            await save(run.tx, run.workspace_id, found)


def _read_all(
    run: Run, entry: Entry, groups: dict[str, _Named], stored: dict[tuple[UUID, UUID], StoredValue]
) -> list[StoredValue]:
    """Returns the values that differ from the stored ones."""
    seen: set[str] = set()
    rows = []
    for index, given in enumerate(entry.given.get("classifications") or ()):
        here = f"classifications[{index}]"
        key = given["groupKey"]
        if key in seen:
            run.refuse(entry, f"{here}.groupKey", f"The group {key!r} is here twice")
        elif (named := groups.get(key)) is None:
            entry.broken = True
            if ("taxonomy", "") not in run.faulty_records:
                run.refuse(entry, f"{here}.groupKey", f"The taxonomy has no group {key!r}")
        elif _fits(run, entry, here, given, named.group):
            row = _read_one(run, entry, here, given, named, stored.get((entry.id, named.group.id)))
            rows += [row] if row else []
        seen.add(key)
    return rows


def _fits(run: Run, entry: Entry, here: str, given: dict[str, Any], group: Group) -> bool:
    if group.kind == "text" and given.get("optionValues"):
        run.refuse(entry, f"{here}.optionValues", "A text group takes a textValue")
    elif group.kind == "list" and given.get("textValue") is not None:
        run.refuse(entry, f"{here}.textValue", "A list group takes optionValues")
    elif refusal := group.refuse_more(given.get("optionValues", ())):
        run.refuse(entry, f"{here}.optionValues", refusal)
    else:
        return True
    return False


def _read_one(
    run: Run, entry: Entry, here: str, given: dict[str, Any], named: _Named, before: StoredValue | None
) -> StoredValue | None:
    """Returns the value to store, or None if it is stored already."""
    base = before or StoredValue(entry.id, named.group.id, [], None, "unreviewed", "manual", run.tx.now)
    options = _find_options(run, entry, here, given, named) if "optionValues" in given else base.option_ids
    value = base._replace(option_ids=options, text_value=given.get("textValue", base.text_value))
    state = given.get("reviewState", base.review_state if value == base else "unreviewed")
    moment = Moment.read(given["updatedAt"]) if "updatedAt" in given else None
    updated_at = run.written_at(entry, f"{here}.updatedAt", moment)
    value = value._replace(review_state=state, origin=given.get("origin", base.origin))
    if value == before and updated_at in (None, base.updated_at):
        return None
    return value._replace(updated_at=updated_at or run.tx.now)


def _find_options(run: Run, entry: Entry, here: str, given: dict[str, Any], named: _Named) -> list[UUID]:
    found: dict[UUID, None] = {}
    for index, value in enumerate(given["optionValues"]):
        if (option := named.options.get(value)) is not None:
            found[option] = None
        elif ("taxonomy", "") not in run.faulty_records:
            run.refuse(entry, f"{here}.optionValues[{index}]", f"The group has no option {value!r}")
    return list(found)


_SHOW = sql("""
SELECT value.idea_id, g.key, value.text_value, value.review_state, value.origin, value.updated_at,
       ARRAY(SELECT o.key FROM unnest(value.option_ids) WITH ORDINALITY AS l (id, place)
               JOIN taxonomy_options o ON o.workspace_id = :workspace_id AND o.id = l.id ORDER BY l.place) AS options
  FROM unnest(:idea_ids::uuid[]) AS idea (id)
 CROSS JOIN LATERAL (SELECT * FROM idea_classifications
                      WHERE workspace_id = :workspace_id AND idea_id = idea.id OFFSET 0) AS value
  JOIN taxonomy_groups g ON g.workspace_id = :workspace_id AND g.id = value.group_id
 ORDER BY value.idea_id, NOT g.is_active, g.position, g.id""")


async def show_classifications(tx: Tx, workspace_id: UUID, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Returns by idea the values, by the groups' keys, and the version in which they were assigned."""
    versions = {row["id"]: row["version"] for row in await tx.rows(_VERSIONS, workspace_id=workspace_id)}
    values: dict[UUID, list[dict[str, Any]]] = {}
    for row in await tx.rows(_SHOW, workspace_id=workspace_id, idea_ids=[row["id"] for row in rows]):
        shown = {"groupKey": row["key"], "optionValues": row["options"], "textValue": row["text_value"]}
        shown |= {"reviewState": row["review_state"], "origin": row["origin"]}
        values.setdefault(row["idea_id"], []).append(shown | {"updatedAt": shown_moment(row["updated_at"])})
    return [
        {"taxonomyVersion": versions.get(row["taxonomy_version_id"]), "classifications": values.get(row["id"], [])}
        for row in rows
    ]
