"""The active taxonomy: the groups that classify ideas. Read once per version, and cached by the process."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Literal
from uuid import UUID

import msgspec

from sightline.platform.beside import Beside
from sightline.platform.db import Row, Tx, sql
from sightline.platform.lists.single import SMALL_BYTES
from sightline.platform.turns import FairTurns
from sightline.platform.wire import Record

_MOST_OPTIONS = 100_000  # of the taxonomies in the cache, which has one at least
_MOST_KEPT = 256  # workspaces
_NO_OPTIONS = msgspec.Raw(b"[]")
_READS = FairTurns(1)  # of a taxonomy that is not in the cache: a large one takes 70 MB until it is
_TAXONOMIES = Beside("taxonomies")  # in which nobody waits but who has that turn

# A stored version never changes, but one that is removed and made again has the same id, in another row.
FIND_VERSION = sql("""
SELECT id::text || xmin::text FROM taxonomy_versions WHERE workspace_id = :workspace_id AND is_active""")
# Rows of groups, and rows of options with the id of their group. Not joined: before PostgreSQL has counted the options
# of a new workspace, it would read all of them for each group.
FIND_TAXONOMY = sql("""
SELECT v.id AS version_id, v.version, iso(v.activated_at) AS activated_at, v.id::text || v.xmin::text AS stored,
       g.id, g.position, g.key, g.label, g.kind, g.selection_mode, g.required, NULL AS options
  FROM taxonomy_versions v
  LEFT JOIN taxonomy_groups g ON g.workspace_id = :workspace_id AND g.is_active
 WHERE v.workspace_id = :workspace_id AND v.is_active
 UNION ALL
SELECT NULL, NULL, NULL, NULL, group_id, NULL, NULL, NULL, NULL, NULL, NULL,
       json_agg(json_build_object('id', id, 'key', key, 'label', label) ORDER BY position, id)
  FROM taxonomy_options WHERE workspace_id = :workspace_id AND is_active GROUP BY group_id""")


class GroupOption(Record):
    id: UUID
    key: str
    label: str


@dataclass(frozen=True, slots=True)
class Group:
    """`kind`: list or text; `selection_mode` (list groups only): single or multi.

    `by_name` has the options by label and by key, which wins; `places` has the place of each among `options`.
    """

    id: UUID
    key: str
    label: str
    kind: Literal["list", "text"]
    selection_mode: Literal["single", "multi"] | None
    required: bool
    options: list[GroupOption] = field(default_factory=list)
    by_name: dict[str, GroupOption] = field(default_factory=dict)
    places: dict[UUID, int] = field(default_factory=dict)

    def chosen(self, ids: Iterable[UUID]) -> list[GroupOption]:
        """Returns the options with these ids, in the order of the group. Ignores the ids of other options."""
        places = {self.places[id] for id in ids if id in self.places}
        return [self.options[place] for place in sorted(places)]

    @property
    def takes_one(self) -> bool:
        """Whether an idea has at most one option of the group."""
        return self.selection_mode == "single"

    def refuse_more(self, options: Collection[object]) -> str | None:
        """Returns why an idea cannot have all these options of the group, or None."""
        return f"The group {self.key} takes one option" if self.takes_one and len(set(options)) > 1 else None


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """The active version and its groups in order. A workspace without one has `id` None, version 0 and no groups.

    `bytes` is how much the options take as JSON.
    """

    id: UUID | None = None
    version: int = 0
    activated_at: str = ""
    groups: tuple[Group, ...] = ()
    by_key: dict[str, Group] = field(default_factory=dict)
    stored: str = ""
    bytes: int = 0

    @property
    def is_large(self) -> bool:
        """Whether a response that shows all options is large."""
        return self.bytes > SMALL_BYTES

    @property
    def size(self) -> int:
        """The number of options."""
        return sum(len(group.options) for group in self.groups)


_kept: dict[UUID, Taxonomy] = {}  # by workspace, the earliest read first


async def find_taxonomy(tx: Tx, workspace_id: UUID) -> Taxonomy:
    """Returns the active taxonomy with its active groups and options."""
    return await find_version(tx, workspace_id, await tx.value(FIND_VERSION, workspace_id=workspace_id))


async def find_version(tx: Tx, workspace_id: UUID, stored: str | None) -> Taxonomy:
    """Returns the active taxonomy. `stored` is the result of FIND_VERSION; None: there is none.

    A version never changes, so it is read once, one at a time. Raises TimeoutError after 6 seconds.
    """
    if stored is None:
        return Taxonomy()
    if (kept := _find_kept(workspace_id, stored)) is not None:
        return kept
    async with _READS.turn(workspace_id):
        if (kept := _find_kept(workspace_id, stored)) is not None:
            return kept
        return await _TAXONOMIES.run(_read, workspace_id, await tx.rows(FIND_TAXONOMY, workspace_id=workspace_id))


def _find_kept(workspace_id: UUID, stored: str) -> Taxonomy | None:
    kept = _kept.get(workspace_id)
    return kept if kept is not None and kept.stored == stored else None


def _read(workspace_id: UUID, rows: Sequence[Row]) -> Taxonomy:
    """Reads the taxonomy, and keeps it."""
    of_groups = [row for row in rows if row["version_id"] is not None]
    if not of_groups:
        return Taxonomy()
    first = of_groups[0]
    options = {row["id"]: row["options"] for row in rows if row["version_id"] is None}
    in_order = sorted((row for row in of_groups if row["id"] is not None), key=itemgetter("position", "id"))
    groups = tuple(_as_group(row, options.get(row["id"], _NO_OPTIONS)) for row in in_order)
    by_key = {group.key: group for group in groups}
    shown = sum(map(len, options.values()))
    version = first["version_id"], first["version"], first["activated_at"]
    taxonomy = Taxonomy(*version, groups, by_key, first["stored"], shown)
    _kept.pop(workspace_id, None)
    _kept[workspace_id] = taxonomy
    size = sum(each.size for each in _kept.values())
    while len(_kept) > 1 and (len(_kept) > _MOST_KEPT or size > _MOST_OPTIONS):
        size -= _kept.pop(next(iter(_kept))).size
    return taxonomy


def _as_group(row: Row, shown: msgspec.Raw) -> Group:
    options = msgspec.json.decode(shown, type=list[GroupOption])
    return Group(
        row["id"],
        row["key"],
        row["label"],
        row["kind"],
        row["selection_mode"],
        row["required"],
        options,
        # Of options with one label the first counts.
        {one.label: one for one in reversed(options)} | {one.key: one for one in reversed(options)},
        {one.id: place for place, one in enumerate(options)},
    )
