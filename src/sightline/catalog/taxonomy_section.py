"""The taxonomy in the workspace file: one active version; another list of groups makes another version."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.catalog import queries_taxonomy as queries
from sightline.platform.access import Actor
from sightline.platform.file_section import Part, Run
from sightline.platform.file_section import fields as of
from sightline.platform.ids import derived_id
from sightline.platform.refs import parse_uuid
from sightline.platform.wire import Moment
from sightline.workspaces.changes import log_change

Word = Annotated[str, Meta(min_length=1, max_length=255, pattern=r"\S")]
Given = dict[str, Any]


class OptionPart(Struct, forbid_unknown_fields=True):
    key: Word
    label: Word | UnsetType = UNSET
    id: str | UnsetType = UNSET
    retired: bool | UnsetType = UNSET


class GroupPart(Struct, forbid_unknown_fields=True, rename="camel"):
    """`retired`: a group of an earlier version, kept for the values that ideas still have."""

    key: Word
    label: Word | UnsetType = UNSET
    id: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    kind: Literal["list", "text"] | UnsetType = UNSET
    selection_mode: Literal["single", "multi"] | UnsetType | None = UNSET
    required: bool | UnsetType = UNSET
    retired: bool | UnsetType = UNSET
    options: list[OptionPart] | UnsetType = UNSET


class VersionPart(Struct, forbid_unknown_fields=True, rename="camel"):
    """An earlier version, whole."""

    id: str
    version: Annotated[int, Meta(ge=1, le=of.LARGEST)]
    groups: list[Any]
    activated_at: str


class TaxonomyPart(Struct, forbid_unknown_fields=True, rename="camel"):
    groups: list[GroupPart] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    version: Annotated[int, Meta(ge=1, le=of.LARGEST)] | UnsetType = UNSET
    activated_at: str | UnsetType = UNSET
    earlier: list[VersionPart] | UnsetType = UNSET


async def show_taxonomy(tx: Any, workspace_id: UUID) -> Given | None:
    """The active version with the groups and options that ideas may still name, and the earlier versions."""
    versions = await queries.find_versions(tx, workspace_id)
    groups = await queries.find_groups(tx, workspace_id)
    if not versions and not groups:
        return None
    shown: Given = {}
    for row in versions:
        if row["is_active"]:
            moment = of.show_moment(row["activated_at"])
            shown = {"id": str(row["id"]), "version": row["version"], "activatedAt": moment}
    shown["groups"] = groups
    shown["earlier"] = [_show_version(row) for row in versions if not row["is_active"]]
    return shown


def _show_version(row: Any) -> Given:
    head = {"id": str(row["id"]), "version": row["version"], "activatedAt": of.show_moment(row["activated_at"])}
    return head | {"groups": msgspec.json.decode(row["groups"])}


async def apply_taxonomy(run: Run, given: Given) -> bool | None:
    """True: a first version, False: another version, None: as it was. The list of groups is complete."""
    faults = run.faults.count
    before = await show_taxonomy(run.tx, run.workspace_id)
    await _keep_earlier(run, given, before)
    if "groups" not in given:
        return None
    _check_moment(run, "taxonomy.activatedAt", given.get("activatedAt"))
    known = {group["key"]: group for group in before["groups"]} if before else {}
    groups = _read_groups(run, given["groups"], known)
    if run.faults.count > faults:
        run.notes["faulty"].add("taxonomy")
        return None
    if before and before["groups"] == groups:
        return None
    await _replace(run, given, before, groups)
    return before is None or "version" not in before


def _read_groups(run: Run, given: list[Given], known: dict[str, Given]) -> list[Given]:
    """Groups as they are shown: those of the file in its order, then those that it leaves out, retired."""
    seen: set[str] = set()
    groups = []
    for index, wish in enumerate(given):
        path = f"taxonomy.groups[{index}]"
        if wish["key"] in seen:
            run.faults.add(f"{path}.key", f"There are two groups {wish['key']!r}")
        seen.add(wish["key"])
        groups.append(_read_group(run, path, wish, known.get(wish["key"], {})))
    left = [group | {"retired": True} for key, group in known.items() if key not in seen]
    return sorted(groups + left, key=lambda group: bool(group.get("retired")))


def _read_group(run: Run, path: str, wish: Given, known: Given) -> Given:
    kind = wish.get("kind", known.get("kind", "list"))
    mode = wish.get("selectionMode", known.get("selectionMode", "multi" if kind == "list" else None))
    if known and kind != known["kind"]:
        run.faults.add(f"{path}.kind", f"The group is of the kind {known['kind']}; use another key")
    if kind == "text" and (mode or wish.get("options")):
        run.faults.add(path, "A text group has neither options nor a selection mode")
    if kind == "list" and mode is None:
        run.faults.add(f"{path}.selectionMode", "Has to be one of single, multi")
    group = {
        "id": _id(run, path, wish, known, "taxonomy.groups", wish["key"]),
        "key": wish["key"],
        "label": str(wish.get("label", known.get("label", wish["key"]))).strip(),
        "description": wish.get("description", known.get("description", "")),
        "kind": kind,
        "selectionMode": mode,
        "required": wish.get("required", known.get("required", False)),
    }
    group |= {"retired": True} if wish.get("retired") else {}
    return group | {"options": _read_options(run, path, wish, known)}


def _read_options(run: Run, path: str, wish: Given, known: Given) -> list[Given]:
    stored = {option["key"]: option for option in known.get("options", ())}
    if "options" not in wish:
        return list(stored.values())
    options: dict[str, Given] = {}
    for index, option in enumerate(wish["options"]):
        here = f"{path}.options[{index}]"
        key, was = option["key"], stored.get(option["key"], {})
        if key in options:
            run.faults.add(f"{here}.key", f"There are two options {key!r}")
        id = _id(run, here, option, was, "taxonomy.options", f"{wish['key']}\x1f{key}")
        options[key] = {"id": id, "key": key, "label": str(option.get("label", was.get("label", key))).strip()}
        options[key] |= {"retired": True} if option.get("retired") else {}
    left = [option | {"retired": True} for key, option in stored.items() if key not in options]
    return sorted([*options.values(), *left], key=lambda option: bool(option.get("retired")))


def _id(run: Run, path: str, wish: Given, known: Given, *names: str) -> str:
    """An id stays with its key."""
    given = wish.get("id")
    if given is not None and parse_uuid(given) is None:
        run.faults.add(f"{path}.id", "Expected a UUID")
    elif given is not None and known and given.lower() != known["id"]:
        run.faults.add(f"{path}.id", "The key has another id already")
    kept: str = known.get("id") or (given.lower() if given else str(derived_id(run.workspace_id, *names)))
    return kept


async def _replace(run: Run, given: Given, before: Given | None, groups: list[Given]) -> None:
    """Stores another active version and what its groups are; notes the options that vanished."""
    last = (before or {}).get("version", 0)
    version = given.get("version", 0) if given.get("version", 0) > last else last + 1
    id = given.get("id") if version == given.get("version") else None
    id = UUID(id) if id and parse_uuid(id) else derived_id(run.workspace_id, "taxonomy", str(version))
    activated = run.tx.now
    if version == given.get("version") and "activatedAt" in given:
        activated = Moment.read(given["activatedAt"])
    active = [_without_retired(group) for group in groups if not group.get("retired")]
    await queries.add_version(run.tx, run.workspace_id, (id, version, active, activated))
    await queries.save_groups(run.tx, run.workspace_id, groups)
    was = _active_options((before or {}).get("groups", []))
    run.notes["vanished options"] = [UUID(option) for option in was - _active_options(groups)]
    actor = Actor(run.workspace_id, "file", run.actor_id)
    action = "updated" if last else "created"
    await log_change(run.tx, actor, "taxonomy", id, None, action, version=version)


def _without_retired(group: Given) -> Given:
    return group | {"options": [option for option in group["options"] if not option.get("retired")]}


def _active_options(groups: list[Given]) -> set[str]:
    active = [_without_retired(group) for group in groups if not group.get("retired")]
    return {option["id"] for group in active for option in group["options"]}


async def _keep_earlier(run: Run, given: Given, before: Given | None) -> None:
    """Adds earlier versions that are not known; those that are stay as they are."""
    known = {version["version"] for version in (before or {}).get("earlier", ())} | {(before or {}).get("version")}
    for index, version in enumerate(given.get("earlier", ())):
        if version["version"] in known or version["version"] >= given.get("version", 0):
            continue
        activated = _check_moment(run, f"taxonomy.earlier[{index}].activatedAt", version["activatedAt"])
        if (id := parse_uuid(version["id"])) is None:
            run.faults.add(f"taxonomy.earlier[{index}].id", "Expected a UUID")
        if id is None or activated is None:
            continue
        known.add(version["version"])
        values = (id, version["version"], version["groups"], activated)
        await queries.add_earlier_version(run.tx, run.workspace_id, values)


def _check_moment(run: Run, path: str, text: str | None) -> datetime | None:
    try:
        return None if text is None else Moment.read(text)
    except ValueError as error:
        run.faults.add(path, str(error))
        return None


TAXONOMY = Part("taxonomy", TaxonomyPart, apply_taxonomy, show_taxonomy)
