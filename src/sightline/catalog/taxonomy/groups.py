"""The active taxonomy: the groups that classify ideas."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from uuid import UUID

import msgspec

from sightline.platform.db import Row, Tx, sql

FIND_TAXONOMY = sql("""
SELECT v.id AS version_id, v.version, iso(v.activated_at) AS activated_at,
       g.id, g.key, g.label, g.kind, g.selection_mode, g.required,
       (SELECT coalesce(jsonb_agg(jsonb_build_array(o.id, o.key, o.label) ORDER BY o.position, o.id), '[]')
          FROM taxonomy_options o
         WHERE o.workspace_id = :workspace_id AND o.group_id = g.id AND o.is_active) AS options
  FROM taxonomy_versions v
  LEFT JOIN taxonomy_groups g ON g.workspace_id = :workspace_id AND g.is_active
 WHERE v.workspace_id = :workspace_id AND v.is_active
 ORDER BY g.position, g.id""")


class Option(NamedTuple):
    id: UUID
    key: str
    label: str


@dataclass(frozen=True, slots=True)
class Group:
    """`kind`: list or text; `selection_mode` (list groups only): single or multi."""

    id: UUID
    key: str
    label: str
    kind: Literal["list", "text"]
    selection_mode: Literal["single", "multi"] | None
    required: bool
    options: tuple[Option, ...]

    def option(self, name: str) -> Option | None:
        """Returns the option with this key, else with this label, else None."""
        by_key = (option for option in self.options if option.key == name)
        by_label = (option for option in self.options if option.label == name)
        return next(by_key, None) or next(by_label, None)

    @property
    def takes_one(self) -> bool:
        """Whether an idea has at most one option of the group."""
        return self.selection_mode == "single"

    def refuse_more(self, options: Collection[object]) -> str | None:
        """Returns why an idea cannot have all these options of the group, or None."""
        return f"The group {self.key} takes one option" if self.takes_one and len(set(options)) > 1 else None


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """The active version and its groups in order. A workspace without one has `id` None, version 0 and no groups."""

    id: UUID | None = None
    version: int = 0
    activated_at: str = ""
    groups: tuple[Group, ...] = ()
    by_key: dict[str, Group] = field(default_factory=dict)


async def find_taxonomy(tx: Tx, workspace_id: UUID) -> Taxonomy:
    """Returns the active taxonomy with its active groups and options."""
    rows = await tx.rows(FIND_TAXONOMY, workspace_id=workspace_id)
    if not rows:
        return Taxonomy()
    groups = tuple(_as_group(row) for row in rows if row["id"] is not None)
    first = rows[0]
    by_key = {group.key: group for group in groups}
    return Taxonomy(first["version_id"], first["version"], first["activated_at"], groups, by_key)


def _as_group(row: Row) -> Group:
    options = tuple(msgspec.json.decode(row["options"], type=list[Option]))
    return Group(row["id"], row["key"], row["label"], row["kind"], row["selection_mode"], row["required"], options)
