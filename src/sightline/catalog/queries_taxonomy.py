"""The SQL of taxonomy versions, groups and options."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sightline.platform.db import Tx

Version = tuple[UUID, int, list[Any], datetime]

_VERSIONS = """
SELECT id, version, groups, activated_at, is_active FROM taxonomy_versions WHERE workspace_id = $1 ORDER BY version"""
_GROUPS = """
SELECT id, key, label, description, kind, selection_mode, required, is_active
  FROM taxonomy_groups WHERE workspace_id = $1 ORDER BY NOT is_active, position, id"""
_OPTIONS = """
SELECT id, group_id, key, label, is_active FROM taxonomy_options
 WHERE workspace_id = $1 ORDER BY NOT is_active, position, id"""


async def find_versions(tx: Tx, workspace_id: UUID) -> list[Any]:
    return await tx.rows(_VERSIONS, workspace_id)


async def find_groups(tx: Tx, workspace_id: UUID) -> list[dict[str, Any]]:
    """Groups with their options as the file shows them: active ones in order, then the retired."""
    options: dict[UUID, list[dict[str, Any]]] = {}
    for row in await tx.rows(_OPTIONS, workspace_id):
        shown = {"id": str(row["id"]), "key": row["key"], "label": row["label"]}
        options.setdefault(row["group_id"], []).append(shown | ({} if row["is_active"] else {"retired": True}))
    groups = []
    for row in await tx.rows(_GROUPS, workspace_id):
        shown = {"id": str(row["id"]), "key": row["key"], "label": row["label"], "description": row["description"]}
        shown |= {"kind": row["kind"], "selectionMode": row["selection_mode"], "required": row["required"]}
        shown |= {} if row["is_active"] else {"retired": True}
        groups.append(shown | {"options": options.get(row["id"], [])})
    return groups


_RETIRE_VERSION = "UPDATE taxonomy_versions SET is_active = false WHERE workspace_id = $1 AND is_active"
_ADD_VERSION = """
INSERT INTO taxonomy_versions (workspace_id, id, version, groups, activated_at, is_active)
VALUES ($1, $2, $3, $4, $5, $6)"""


async def add_version(tx: Tx, workspace_id: UUID, version: Version) -> None:
    """The new active version."""
    await tx.run(_RETIRE_VERSION, workspace_id)
    await tx.run(_ADD_VERSION, workspace_id, *version, True)


async def add_earlier_version(tx: Tx, workspace_id: UUID, version: Version) -> None:
    await tx.run(_ADD_VERSION, workspace_id, *version, False)


_SAVE_GROUP = """
INSERT INTO taxonomy_groups
       (workspace_id, id, key, label, description, kind, selection_mode, required, position, is_active)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (workspace_id, id) DO UPDATE
   SET key = excluded.key, label = excluded.label, description = excluded.description,
       selection_mode = excluded.selection_mode, required = excluded.required, position = excluded.position,
       is_active = excluded.is_active"""
_SAVE_OPTION = """
INSERT INTO taxonomy_options (workspace_id, id, group_id, key, label, position, is_active)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (workspace_id, id) DO UPDATE
   SET label = excluded.label, position = excluded.position, is_active = excluded.is_active"""


async def save_groups(tx: Tx, workspace_id: UUID, groups: list[dict[str, Any]]) -> None:
    """Groups and options in their order; those marked as retired are no longer active."""
    rows: list[Any] = []
    options: list[Any] = []
    for place, group in enumerate(groups):
        head = [workspace_id, UUID(group["id"]), group["key"], group["label"], group["description"], group["kind"]]
        rows.append([*head, group["selectionMode"], group["required"], place, not group.get("retired")])
        for position, option in enumerate(group["options"]):
            naming = [workspace_id, UUID(option["id"]), UUID(group["id"]), option["key"], option["label"]]
            options.append([*naming, position, not option.get("retired")])
    await tx.run_many(_SAVE_GROUP, rows)
    await tx.run_many(_SAVE_OPTION, options)
