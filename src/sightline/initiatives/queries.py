"""The SQL of initiatives."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sightline.initiatives.records import Initiative, InitiativeFilters
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.database import Row
from sightline.platform.db.horizon import find_horizon
from sightline.platform.db.pages import Listing, read_page
from sightline.platform.errors import NotFound
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Page, Versioned, version_tag
from sightline.workspaces.changes import COUNT, LOG_ADDED, addition

# In the order of Initiative's fields; the version comes last.
INITIATIVE = """
    id, 'INITIATIVE-' || number AS public_id, name, description, status, priority, workspace_id, product_id,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name) ORDER BY assigned.n), '[]')
       FROM unnest(team_ids) WITH ORDINALITY AS assigned (id, n)
       JOIN teams t ON t.workspace_id = $1 AND t.id = assigned.id) AS teams,
    to_char(start_date, 'YYYY-MM-DD'), to_char(finish_date, 'YYYY-MM-DD'), iso(created_at), iso(updated_at), version"""

_LISTING = Listing("initiatives", INITIATIVE, COUNT.format(kind="initiative"))
_OF_TEAM = "id IN (SELECT initiative_id FROM initiative_teams WHERE workspace_id = $1 AND team_id = {})"
_LATEST_FIRST = "updated_at DESC, number DESC"
_OLDEST_CHANGE_FIRST = "updated_at, id"


def versioned(row: Row) -> Versioned[Initiative]:
    """An initiative from the columns of INITIATIVE, with its tag."""
    return Versioned(Initiative(*row[:13]), version_tag(row[0], row[13]))


_FIND = f"SELECT {INITIATIVE} FROM initiatives WHERE workspace_id = $1 AND {{}} = $2"


async def find_initiative(tx: Tx, workspace_id: UUID, ref: InitiativeRef) -> Versioned[Initiative]:
    """Raises NotFound."""
    row = await tx.row(_FIND.format(ref.column), workspace_id, ref.value)
    if row is None:
        raise NotFound
    return versioned(row)


async def page_of_initiatives(
    tx: Tx, workspace_id: UUID, wanted: InitiativeFilters, window: Window
) -> Page[Initiative]:
    """The latest update first; with `updated_since` the oldest change first, and none that one under way precedes."""
    where = Where(workspace_id)
    if wanted.status is not None:
        where.add("status = {}", wanted.status)
    if wanted.product_id is not None:
        where.add("product_id = {}", wanted.product_id)
    if wanted.team_id is not None:
        where.add(
            "id IN (SELECT initiative_id FROM initiative_teams WHERE workspace_id = $1 AND team_id = {})",
            wanted.team_id,
        )
    if wanted.q is not None:
        where.add("search @@ plainto_tsquery('simple', {})", wanted.q)
    if wanted.updated_since is not None:
        where.add("updated_at >= {}", wanted.updated_since)
        where.add("updated_at <= {}", await find_horizon(tx))
    order = _LATEST_FIRST if wanted.updated_since is None else _OLDEST_CHANGE_FIRST
    rows, total = await read_page(tx, _LISTING, where, order, window)
    return Page([Initiative(*row[:13]) for row in rows], total, window)


class Requested(NamedTuple):
    """An initiative that a request id made: of which wish it came (None: of none), and what it is now."""

    request_hash: bytes | None
    shown: Versioned[Initiative]


_FIND_REQUESTED = f"SELECT {INITIATIVE}, request_hash FROM initiatives WHERE workspace_id = $1 AND id = $2"


async def find_requested(tx: Tx, workspace_id: UUID, id: UUID) -> Requested | None:
    row = await tx.row(_FIND_REQUESTED, workspace_id, id)
    return Requested(row["request_hash"], versioned(row)) if row else None


class Missing(NamedTuple):
    """What a wish names and the workspace does not have."""

    teams: list[UUID]
    has_product: bool


_FIND_MISSING = """
SELECT ARRAY(SELECT unnest($2::uuid[]) EXCEPT SELECT id FROM teams WHERE workspace_id = $1 AND id = ANY($2)),
       $3::uuid IS NULL OR EXISTS (SELECT FROM products WHERE workspace_id = $1 AND id = $3)"""


async def find_missing(tx: Tx, workspace_id: UUID, teams: Sequence[UUID], product_id: UUID | None) -> Missing:
    row = await tx.row(_FIND_MISSING, workspace_id, teams, product_id)
    return Missing(*row or ())


_ADD = f"""
WITH added AS (
    INSERT INTO initiatives (workspace_id, created_at, updated_at, id, number, name, description, status, priority,
                             product_id, request_hash, team_ids)
    VALUES ($1, $2, $2, $8, $9, $10, $11, 'PENDING', $12, $13, $14, $15)
    ON CONFLICT DO NOTHING
    RETURNING *, 'INITIATIVE-' || number AS public_id),
    assigned AS (
        INSERT INTO initiative_teams (workspace_id, initiative_id, team_id)
        SELECT $1, $8, team.id FROM added, unnest($15::uuid[]) WITH ORDINALITY AS team (id, n) ORDER BY n),
    {LOG_ADDED}
SELECT {INITIATIVE} FROM added"""


async def add_initiative(tx: Tx, actor: Actor, columns: Sequence[Any]) -> Versioned[Initiative] | None:
    """One statement: id, number, name, description, priority, product, request hash, teams. None: the id is taken."""
    row = await tx.row(_ADD, *addition(tx, actor, "initiative"), *columns)
    return versioned(row) if row else None


class Current(NamedTuple):
    """What decides about a change."""

    id: UUID
    public_id: str
    columns: dict[str, Any]
    feature_products: list[UUID]
    version: int


CHANGEABLE = ("name", "description", "status", "priority", "product_id", "start_date", "finish_date", "team_ids")

_LOCK = f"""
SELECT id, 'INITIATIVE-' || number AS public_id, {", ".join(CHANGEABLE)}, version,
       ARRAY(SELECT DISTINCT f.product_id FROM features f
              WHERE f.workspace_id = $1 AND f.id = ANY(initiatives.feature_ids)) AS feature_products
  FROM initiatives WHERE workspace_id = $1 AND {{}} = $2 FOR NO KEY UPDATE"""


async def lock_initiative(tx: Tx, workspace_id: UUID, ref: InitiativeRef) -> Current:
    """Raises NotFound."""
    row = await tx.row(_LOCK.format(ref.column), workspace_id, ref.value)
    if row is None:
        raise NotFound
    columns = {name: row[name] for name in CHANGEABLE}
    return Current(row["id"], row["public_id"], columns, row["feature_products"], row["version"])


async def change_initiative(tx: Tx, workspace_id: UUID, id: UUID, columns: dict[str, Any]) -> None:
    """Sets the named columns, of those that are CHANGEABLE, and moves version and date."""
    names = [name for name in CHANGEABLE if name in columns and name != "team_ids"]
    sets = "".join(f"{name} = ${place}, " for place, name in enumerate(names, 4))
    statement = (
        f"UPDATE initiatives SET {sets}updated_at = $3, version = version + 1, written = pg_current_xact_id()"
        " WHERE workspace_id = $1 AND id = $2"
    )
    await tx.run(statement, workspace_id, id, tx.now, *(columns[name] for name in names))


_UNASSIGN = "DELETE FROM initiative_teams WHERE workspace_id = $1 AND initiative_id = $2 AND team_id <> ALL($3)"
_ASSIGN = """
INSERT INTO initiative_teams (workspace_id, initiative_id, team_id)
SELECT $1, $2, team.id FROM unnest($3::uuid[]) WITH ORDINALITY AS team (id, n) ORDER BY n
ON CONFLICT DO NOTHING"""


async def assign_teams(tx: Tx, workspace_id: UUID, id: UUID, teams: Sequence[UUID]) -> None:
    """The complete assignment; a team that stays keeps its place."""
    await tx.run(_UNASSIGN, workspace_id, id, teams)
    await tx.run(_ASSIGN, workspace_id, id, teams)


class Plan(NamedTuple):
    """The limits of a plan (None: no limit), and the moment its trial ends."""

    initiative_limit: int | None
    active_initiative_limit: int | None
    trial_ends_at: datetime | None

    @property
    def is_unlimited(self) -> bool:
        return self == (None, None, None)


_PLAN = "SELECT initiative_limit, active_initiative_limit, trial_ends_at FROM plans WHERE workspace_id = $1"
_COUNT_ACTIVE = "SELECT count(*) FROM initiatives WHERE workspace_id = $1 AND is_active"


async def hold_plan(tx: Tx, workspace_id: UUID) -> Plan:
    """The plan, locked when it has limits: nobody else counts against them before the transaction ends."""
    plan = Plan(*await tx.row(_PLAN, workspace_id) or (None, None, None))
    if plan.is_unlimited:
        return plan
    return Plan(*await tx.row(f"{_PLAN} FOR NO KEY UPDATE", workspace_id) or (None, None, None))


async def count_initiatives(tx: Tx, workspace_id: UUID) -> int:
    """All of them, archived ones too."""
    count: int = await tx.value(f"SELECT {COUNT.format(kind='initiative')}", workspace_id)
    return count


async def count_active(tx: Tx, workspace_id: UUID) -> int:
    count: int = await tx.value(_COUNT_ACTIVE, workspace_id)
    return count
