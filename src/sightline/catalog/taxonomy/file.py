"""The taxonomy in the workspace file: one active version. A different list of groups adds a version."""

from typing import Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from sightline.catalog.taxonomy import queries
from sightline.platform.access import Actor
from sightline.platform.file_parts.entries import Run
from sightline.platform.file_parts.tables import Part
from sightline.platform.ids import derived_id
from sightline.platform.wire import Id, Moment, Positive, Word, shown_moment
from sightline.workspaces.changes import log_change

Given = dict[str, Any]

_MOST_OPTIONS = 10_000  # of the active version: suggestions for an idea compare its text with each


class OptionPart(Part):
    key: Word
    label: Word | UnsetType = UNSET
    id: Id | UnsetType = UNSET
    retired: bool | UnsetType = UNSET


class GroupPart(Part):
    """A group. `retired`: of an earlier version, kept for the values of ideas."""

    key: Word
    label: Word | UnsetType = UNSET
    id: Id | UnsetType = UNSET
    description: str | UnsetType = UNSET
    kind: Literal["list", "text"] | UnsetType = UNSET
    selection_mode: Literal["single", "multi"] | UnsetType | None = UNSET
    required: bool | UnsetType = UNSET
    retired: bool | UnsetType = UNSET
    options: list[OptionPart] | UnsetType = UNSET


class VersionPart(Part):
    """An earlier version, whole."""

    id: Id
    version: Positive
    groups: list[Any]
    activated_at: Moment


class TaxonomyPart(Part):
    groups: list[GroupPart] | UnsetType = UNSET
    id: Id | UnsetType = UNSET
    version: Positive | UnsetType = UNSET
    activated_at: Moment | UnsetType = UNSET
    earlier: list[VersionPart] | UnsetType = UNSET


async def show_taxonomy(tx: Any, workspace_id: UUID) -> Given | None:
    """Returns the active version, with retired groups and options, and the earlier versions."""
    versions = await queries.find_versions(tx, workspace_id)
    groups = await queries.find_groups(tx, workspace_id)
    if not versions and not groups:
        return None
    shown = [_show_version(row) for row in versions]
    active = next((one for one, row in zip(shown, versions, strict=True) if row["is_active"]), {})
    return active | {"groups": groups, "earlier": [one for one in shown if one is not active]}


def _show_version(row: Any) -> Given:
    head = {"id": str(row["id"]), "version": row["version"], "activatedAt": shown_moment(row["activated_at"])}
    return head | {"groups": msgspec.json.decode(row["groups"])}


async def apply_taxonomy(run: Run, given: Given) -> bool | None:
    """Returns True for a first version, False for another version, None if nothing changed.

    The list of groups is complete: omitted groups are retired.
    """
    faults = run.faults.count
    before = await show_taxonomy(run.tx, run.workspace_id)
    await _keep_earlier(run, given, before)
    if "groups" not in given:
        return None
    known = {group["key"]: group for group in before["groups"]} if before else {}
    groups = _read_groups(run, given["groups"], known)
    is_same = before is not None and before["groups"] == groups
    if not is_same and len(_active_options(groups)) > _MOST_OPTIONS:
        run.faults.add("taxonomy.groups", f"Expected at most {_MOST_OPTIONS:,} options in all groups together")
    if run.faults.count > faults:
        run.faulty_records.add(("taxonomy", ""))
        return None
    if is_same:
        return None
    await _replace(run, given, before, groups)
    return before is None or "version" not in before


def _read_groups(run: Run, given: list[Given], known: dict[str, Given]) -> list[Given]:
    groups: dict[str, Given] = {}
    for index, group in enumerate(given):
        path, key = f"taxonomy.groups[{index}]", group["key"]
        if key in groups:
            run.faults.add(f"{path}.key", f"There are two groups {key!r}")
        groups[key] = _read_group(run, path, group, known.get(key, {}))
    return _with_retired(groups, known)


def _with_retired(given: dict[str, Given], known: dict[str, Given]) -> list[Given]:
    """Returns the groups or options of the file in its order, then the others as retired."""
    left_out = [part | {"retired": True} for key, part in known.items() if key not in given]
    return sorted([*given.values(), *left_out], key=lambda part: bool(part.get("retired")))


def _read_group(run: Run, path: str, given: Given, known: Given) -> Given:
    kind = given.get("kind", known.get("kind", "list"))
    mode = "multi" if kind == "list" else None
    new = {"description": "", "kind": kind, "selectionMode": mode, "required": False}
    group = new | _settled(run, path, given, known, "taxonomy.groups", given["key"])
    if known and kind != known["kind"]:
        run.faults.add(f"{path}.kind", f"The group is of the kind {known['kind']}; use another key")
    if kind == "text" and (group["selectionMode"] or given.get("options")):
        run.faults.add(path, "A text group has neither options nor a selection mode")
    if kind == "list" and group["selectionMode"] is None:
        run.faults.add(f"{path}.selectionMode", "Expected one of: single, multi")
    return group | {"options": _read_options(run, path, given, known)}


def _read_options(run: Run, path: str, given: Given, known: Given) -> list[Given]:
    stored = {option["key"]: option for option in known.get("options", ())}
    options: dict[str, Given] = {}
    for index, option in enumerate(given.get("options", ())):
        here, key = f"{path}.options[{index}]", option["key"]
        if key in options:
            run.faults.add(f"{here}.key", f"There are two options {key!r}")
        names = ("taxonomy.options", f"{given['key']}\x1f{key}")
        options[key] = _settled(run, here, option, stored.get(key, {}), *names)
    return _with_retired(options, stored) if "options" in given else list(stored.values())


def _settled(run: Run, path: str, given: Given, known: Given, *names: str) -> Given:
    """Returns a group or an option, with the stored id of its key, else the given id, else one from the names."""
    own_id = given.get("id", "").lower()
    if own_id and known and own_id != known["id"]:
        run.faults.add(f"{path}.id", "The key has another id already")
    part = {"label": given["key"]} | known | given
    part["id"] = known.get("id") or own_id or str(derived_id(run.workspace_id, *names))
    part["label"] = part["label"].strip()
    if not given.get("retired"):
        part.pop("retired", None)
    return part


async def _replace(run: Run, given: Given, before: Given | None, groups: list[Given]) -> None:
    """Stores a new active version with its groups, and keeps inactive options."""
    last = (before or {}).get("version", 0)
    version = given.get("version", 0) if given.get("version", 0) > last else last + 1
    own = given if version == given.get("version") else {}
    id = UUID(own["id"]) if "id" in own else derived_id(run.workspace_id, "taxonomy", str(version))
    activated = Moment.read(own["activatedAt"]) if "activatedAt" in own else run.tx.now
    active = [_without_retired(group) for group in groups if not group.get("retired")]
    await queries.add_version(
        run.tx, run.workspace_id, {"id": id, "version": version, "groups": active, "activated_at": activated}
    )
    await queries.save_groups(run.tx, run.workspace_id, groups)
    earlier = (before or {}).get("groups", [])
    run.notes["vanished options"] = [UUID(id) for id in _active_options(earlier) - _active_options(groups)]
    run.notes["changed in taxonomy"] = [UUID(id) for id in _active_ids(earlier) ^ _active_ids(groups)]
    actor = Actor(run.workspace_id, "file", run.actor_id)
    action = "updated" if last else "created"
    await log_change(run.tx, actor, "taxonomy", id, None, action, version=version)


def _without_retired(group: Given) -> Given:
    return group | {"options": [option for option in group["options"] if not option.get("retired")]}


def _active_options(groups: list[Given]) -> set[str]:
    active = [_without_retired(group) for group in groups if not group.get("retired")]
    return {option["id"] for group in active for option in group["options"]}


def _active_ids(groups: list[Given]) -> set[str]:
    return _active_options(groups) | {group["id"] for group in groups if not group.get("retired")}


async def _keep_earlier(run: Run, given: Given, before: Given | None) -> None:
    """Adds earlier versions that are not stored yet. The others stay."""
    known = {version["version"] for version in (before or {}).get("earlier", ())} | {(before or {}).get("version")}
    for version in given.get("earlier", ()):
        if version["version"] not in known and version["version"] < given.get("version", 0):
            known.add(version["version"])
            values = {"id": UUID(version["id"]), "activated_at": Moment.read(version["activatedAt"])}
            values |= {name: version[name] for name in ("version", "groups")}
            await queries.add_earlier_version(run.tx, run.workspace_id, values)
