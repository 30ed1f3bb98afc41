"""The SQL of taxonomy versions, groups and options."""

from typing import Any
from uuid import UUID

from sightline.platform.db import Row, Tx, sql

_VERSIONS = sql("""
SELECT id, version, groups, activated_at, is_active
  FROM taxonomy_versions WHERE workspace_id = :workspace_id ORDER BY version""")
_GROUPS = sql("""
SELECT id, key, label, description, kind, selection_mode, required, is_active
  FROM taxonomy_groups WHERE workspace_id = :workspace_id ORDER BY NOT is_active, position, id""")
_OPTIONS = sql("""
SELECT id, group_id, key, label, is_active
  FROM taxonomy_options WHERE workspace_id = :workspace_id ORDER BY NOT is_active, position, id""")


async def find_versions(tx: Tx, workspace_id: UUID) -> list[Row]:
    """Returns all versions, the oldest first."""
    return await tx.rows(_VERSIONS, workspace_id=workspace_id)


async def find_groups(tx: Tx, workspace_id: UUID) -> list[dict[str, Any]]:
    """Returns groups with their options as the file shows them: active ones in order, then the retired."""
    options: dict[UUID, list[dict[str, Any]]] = {}
    for row in await tx.rows(_OPTIONS, workspace_id=workspace_id):
        shown = {"id": str(row["id"]), "key": row["key"], "label": row["label"]}
        options.setdefault(row["group_id"], []).append(shown | ({} if row["is_active"] else {"retired": True}))
    groups = []
    for row in await tx.rows(_GROUPS, workspace_id=workspace_id):
        shown = {"id": str(row["id"]), "key": row["key"], "label": row["label"], "description": row["description"]}
        shown |= {"kind": row["kind"], "selectionMode": row["selection_mode"], "required": row["required"]}
        shown |= {} if row["is_active"] else {"retired": True}
        groups.append(shown | {"options": options.get(row["id"], [])})
    return groups


_RETIRE_VERSION = sql("UPDATE taxonomy_versions SET is_active = false WHERE workspace_id = :workspace_id AND is_active")
_ADD_VERSION = sql("""
INSERT INTO taxonomy_versions (workspace_id, id, version, groups, activated_at, is_active)
VALUES (:workspace_id, :id, :version, :groups, :activated_at, :is_active)""")


async def add_version(tx: Tx, workspace_id: UUID, version: dict[str, Any]) -> None:
    """Stores a version as the active one; the previous one becomes inactive."""
    await tx.run(_RETIRE_VERSION, workspace_id=workspace_id)
    await tx.run(_ADD_VERSION, workspace_id=workspace_id, is_active=True, **version)


async def add_earlier_version(tx: Tx, workspace_id: UUID, version: dict[str, Any]) -> None:
    """Stores a version that is no longer active."""
    await tx.run(_ADD_VERSION, workspace_id=workspace_id, is_active=False, **version)


_SAVE_GROUPS = sql("""
INSERT INTO taxonomy_groups
       (workspace_id, id, key, label, description, kind, selection_mode, required, position, is_active)
SELECT :workspace_id, g.id, g.key, g.label, g.description, g.kind, g.mode, g.required, g.n - 1, g.retired IS NOT TRUE
  FROM ROWS FROM (jsonb_to_recordset(:groups::jsonb)
                  AS (id uuid, key text, label text, description text, kind text, "selectionMode" text,
                      required boolean, retired boolean))
       WITH ORDINALITY AS g (id, key, label, description, kind, mode, required, retired, n)
ON CONFLICT (workspace_id, id) DO UPDATE
   SET key = excluded.key, label = excluded.label, description = excluded.description,
       selection_mode = excluded.selection_mode, required = excluded.required, position = excluded.position,
       is_active = excluded.is_active""")
_SAVE_OPTIONS = sql("""
INSERT INTO taxonomy_options (workspace_id, id, group_id, key, label, position, is_active)
SELECT :workspace_id, o.id, g.id, o.key, o.label, o.n - 1, o.retired IS NOT TRUE
  FROM jsonb_to_recordset(:groups::jsonb) AS g (id uuid, options jsonb)
 CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(g.options) AS (id uuid, key text, label text, retired boolean))
       WITH ORDINALITY AS o (id, key, label, retired, n)
ON CONFLICT (workspace_id, id) DO UPDATE
   SET label = excluded.label, position = excluded.position, is_active = excluded.is_active""")


async def save_groups(tx: Tx, workspace_id: UUID, groups: list[dict[str, Any]]) -> None:
    """Stores groups and options in their order. Retired ones become inactive."""
    await tx.run(_SAVE_GROUPS, workspace_id=workspace_id, groups=groups)
    await tx.run(_SAVE_OPTIONS, workspace_id=workspace_id, groups=groups)
