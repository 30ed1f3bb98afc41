"""The SQL of initiatives."""

from collections.abc import Sequence
from uuid import UUID

from sightline.catalog.products.named import unknown_product
from sightline.initiatives.limits import LIMITS
from sightline.initiatives.records import Initiative, InitiativeFilters
from sightline.platform.db import Row, Tx, Where, Window, by_reference, sql
from sightline.platform.db.words import apart
from sightline.platform.errors import ValidationFailed
from sightline.platform.lists.large import linked_size, stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.lists.single import SingleRecord
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Page, Versioned, versioned
from sightline.workspaces.changes import add_changes, count_of, count_rows

# In the order of Initiative's fields.
INITIATIVE = """
    id, 'INITIATIVE-' || number AS public_id, name, description, status, priority, workspace_id, product_id,
    (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) ORDER BY assigned.n), '[]')
       FROM unnest(team_ids) WITH ORDINALITY AS assigned (id, n)
       JOIN teams t ON t.workspace_id = :workspace_id AND t.id = assigned.id) AS teams,
    to_char(start_date, 'YYYY-MM-DD') AS start_date, to_char(finish_date, 'YYYY-MM-DD') AS finish_date,
    iso(created_at) AS created_at, iso(updated_at) AS updated_at"""

_SIZE = f"{stored_size('description')} + {linked_size('team_ids', each=120)}"
_LISTING = Listing(
    "initiatives",
    Initiative,
    INITIATIVE,
    Order("initiatives.latest", "updated_at", "number", int, is_descending=True),
    count_of("initiative"),
    _SIZE,
)


FIND_INITIATIVE = SingleRecord.by_reference("initiatives", f"{INITIATIVE}, version", _SIZE)


async def find_initiative(
    tx: Tx, workspace_id: UUID, ref: InitiativeRef, *, at_once: bool = False
) -> Versioned[Initiative]:
    """Raises NotFound, and LargeRecord for a large one that is read `at_once`."""
    row = await FIND_INITIATIVE[ref.column].find(tx, at_once=at_once, workspace_id=workspace_id, ref=ref.value)
    return versioned(Initiative, row)


async def page_of_initiatives(
    tx: Tx, workspace_id: UUID, filters: InitiativeFilters, window: Window
) -> Page[Initiative]:
    """Returns a page, latest update first; with `updated_since` the oldest change first."""
    where = _where(workspace_id, filters)
    return await read_list(tx, _LISTING, where, window, filters.updated_since)


def _where(workspace_id: UUID, filters: InitiativeFilters) -> Where:
    where = Where(workspace_id).equals(status=filters.status, product_id=filters.product_id)
    if filters.team_id is not None:
        where.add(
            "id IN (SELECT initiative_id FROM initiative_teams"
            "        WHERE workspace_id = :workspace_id AND team_id = :team_id)",
            team_id=filters.team_id,
        )
    if filters.q is not None:
        where.add(f"search @@ plainto_tsquery('simple', {apart(':q')})", q=filters.q)
    return where


FIND_REQUESTED = sql(
    "SELECT {columns}, version, request_hash FROM initiatives WHERE workspace_id = :workspace_id AND id = :id",
    columns=INITIATIVE,
)
_MISSING = """
       ARRAY(SELECT unnest(:teams::uuid[])
             EXCEPT SELECT id FROM teams WHERE workspace_id = :workspace_id AND id = ANY(:teams)) AS missing_teams,
       :product_id::uuid IS NOT NULL AND NOT EXISTS (
           SELECT FROM products WHERE workspace_id = :workspace_id AND id = :product_id) AS is_product_missing"""
FIND_MISSING = sql("SELECT {missing}", missing=_MISSING)
# With `is_created`, whether the id has an initiative, and `is_limited`, whether a plan has limits.
FIND_NAMED = sql(f"""
SELECT {_MISSING},
       EXISTS (SELECT FROM initiatives WHERE workspace_id = :workspace_id AND id = :id) AS is_created,
       EXISTS (SELECT FROM plans WHERE workspace_id = :workspace_id AND num_nonnulls({LIMITS}) > 0) AS is_limited""")


def ensure_unique(team_ids: Sequence[UUID]) -> None:
    """Raises ValidationFailed when a team is named twice."""
    if len(set(team_ids)) < len(team_ids):
        raise ValidationFailed.of("teamIds", "The same team twice")


def refuse_missing(named: Row) -> None:
    """Raises ValidationFailed for unknown teams, NotFound for an unknown product."""
    if missing := named["missing_teams"]:
        shown = ", ".join(str(id) for id in missing[:5])
        raise ValidationFailed.of("teamIds", f"Not in this workspace: {shown}")
    if named["is_product_missing"]:
        raise unknown_product("productId")


ADD_INITIATIVE = sql(
    """
WITH added AS (
    INSERT INTO initiatives (workspace_id, id, number, name, description, status, priority, product_id, team_ids,
                             request_hash, created_at, updated_at)
    VALUES (:workspace_id, :id, :number, :name, :description, 'PENDING', :priority, :product_id, :team_ids,
            :request_hash, :now, :now)
    ON CONFLICT DO NOTHING
    RETURNING *, 'INITIATIVE-' || number AS public_id),
    assigned AS (
        INSERT INTO initiative_teams (workspace_id, initiative_id, team_id)
        SELECT :workspace_id, :id, team.id
          FROM added, unnest(:team_ids::uuid[]) WITH ORDINALITY AS team (id, n) ORDER BY n),
    logged AS ({change}),
    counted AS ({count})
SELECT {columns}, version FROM added""",
    columns=INITIATIVE,
    change=add_changes("initiative", "created", "added"),
    count=count_rows("initiative", 1, "added"),
)
LOCK_INITIATIVE = by_reference(
    """
SELECT id, 'INITIATIVE-' || number AS public_id, version, name, description, status, priority, product_id, start_date,
       finish_date, team_ids,
       ARRAY(SELECT DISTINCT f.product_id FROM features f
              WHERE f.workspace_id = :workspace_id AND f.id = ANY(initiatives.feature_ids)) AS feature_products
  FROM initiatives WHERE workspace_id = :workspace_id AND {ref} = :ref FOR NO KEY UPDATE"""
)


async def lock_initiative(tx: Tx, workspace_id: UUID, ref: InitiativeRef) -> Row:
    """Returns the columns that a change compares with, and the products of its features. Raises NotFound."""
    return await tx.found(LOCK_INITIATIVE[ref.column], workspace_id=workspace_id, ref=ref.value)
