"""Products, teams, the workflow, the taxonomy, accounts, integrations and sprints in the workspace file."""

from collections.abc import AsyncIterator
from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.catalog.default_statuses import StatusLabel, add_default_statuses
from sightline.catalog.portal_labels import PortalLabel
from sightline.platform.db import sql
from sightline.platform.file_parts.entries import Entry, Run, sound
from sightline.platform.file_parts.tables import FileRecord, KeyedRecord, Link, Links, Table
from sightline.platform.wire import Email, Name, Word

_PARENTS = sql("SELECT id, parent_id FROM features WHERE workspace_id = :workspace_id AND product_id = ANY(:products)")


async def _refuse_circles(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Refuses a feature that would be its own ancestor."""
    entries = [entry for entry in sound(entries) if entry.row["parent_id"] is not None]
    products = list({entry.row["product_id"] for entry in entries})
    rows = await run.tx.rows(_PARENTS, workspace_id=run.workspace_id, products=products) if products else []
    parents: dict[UUID, UUID | None] = {row["id"]: row["parent_id"] for row in rows}
    parents |= {entry.id: entry.row["parent_id"] for entry in entries}
    rooted: set[UUID | None] = {None}
    for entry in entries:
        path: set[UUID | None] = set()
        at: UUID | None = entry.id
        while at not in rooted and at not in path:
            path.add(at)
            at = parents.get(at) if at else None
        if at in path:
            run.refuse(entry, "parent", "The feature would be its own ancestor")
        else:
            rooted |= path
    yield


_UNFLAG = sql("""
UPDATE idea_statuses SET promotion = false
 WHERE workspace_id = :workspace_id AND promotion AND label <> :label
   AND xmin::text = coalesce(:states::jsonb ->> label, xmin::text)
RETURNING label, xmin::text AS state_""")


async def _move_promotion(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Refuses more than one promotion label."""
    flagged = [entry for entry in sound(entries) if entry.row.get("promotion")]
    for entry in flagged[1:]:
        run.refuse(entry, "promotion", f"Only one label can be the promotion label; {flagged[0].path} is already")
    if flagged:
        known = {entry.row.get("label"): entry.row for entry in entries if entry.stored}
        states = {label: row["state_"] for label, row in known.items()}
        values = {"workspace_id": run.workspace_id, "label": flagged[0].row["label"], "states": states}
        found = {row["label"]: row["state_"] for row in await run.tx.rows(_UNFLAG, **values)}
        for label in found.keys() & known:
            known[label]["state_"] = found[label]  # for the statement that writes the rest of the record
        others = found.keys() - {entry.row.get("label") for entry in entries}
        if others and "ideaStatuses" not in run.pruned:
            run.refuse(flagged[0], "promotion", f"The label {min(others)!r} is the promotion label already")
    yield


class FeatureRecord(KeyedRecord):
    """A feature of a product. `parent` names another feature of the same product."""

    name: Name | UnsetType = UNSET
    description: str | None = ""
    parent: Annotated[Word | None, Link("products.features", scope="product_id")] = None


FEATURES = Table(
    "products.features", "features", FeatureRecord, parents=("product_id",), placed=True, rules=_refuse_circles
)


class ProductRecord(KeyedRecord):
    """A product with its features."""

    name: Name | UnsetType = UNSET
    description: str | None = ""
    features: list[FeatureRecord] | None = None


PRODUCTS = Table("products", "products", ProductRecord, children=(FEATURES,), versioned="version", counted=True)


class TeamRecord(KeyedRecord):
    """A team of members."""

    name: Name | UnsetType = UNSET
    members: Annotated[list[str] | None, Links("members", "team_members", is_repeated=False)] = None


TEAMS = Table("teams", "teams", TeamRecord, counted=True)


class StatusRecord(FileRecord):
    """A label of the workflow. At most one is the promotion label."""

    label: StatusLabel | UnsetType = UNSET
    promotion: bool | None = False
    portal: PortalLabel | None = None


STATUSES = Table(
    "ideaStatuses",
    "idea_statuses",
    StatusRecord,
    primary=("label",),
    logged=False,
    stamped=False,
    placed=True,
    order="position, label",
    rules=_move_promotion,
)


class ContactRecord(FileRecord):
    """A person at an account, known by the address in any letter case."""

    email: Email | UnsetType = UNSET
    name: str | None = ""


CONTACTS = Table(
    "accounts.contacts",
    "account_contacts",
    ContactRecord,
    stamped=False,
    parents=("account_id",),
    identities=(("account_id", "email"),),
    folded="email",
    placed=True,
)


class AccountRecord(KeyedRecord):
    """A customer account. `externalId` names it in references too."""

    external_id: Word | None = None
    name: Name | UnsetType = UNSET
    domain: Word | None = None
    contacts: list[ContactRecord] | None = None


ACCOUNTS = Table(
    "accounts",
    "accounts",
    AccountRecord,
    children=(CONTACTS,),
    alias="external_id",
    identities=(("external_id",),),
    versioned="version",
    counted=True,
)


class IntegrationRecord(KeyedRecord):
    """A tool that ideas or signals come from."""

    kind: Word | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    manages_status: bool | None = False


INTEGRATIONS = Table("integrations", "integrations", IntegrationRecord)


class SprintRecord(KeyedRecord):
    """A sprint."""

    name: Name | UnsetType = UNSET
    state: Literal["planned", "active", "completed"] | None = "planned"


SPRINTS = Table("sprints", "sprints", SprintRecord)


# Ideas have no foreign key on their label: the lock prevents new uses of a label until this transaction ends. It is
# taken at the end, as ideas of all workspaces wait for it, and not for long: one of them may wait for this transaction.
_LOCK_IDEAS = sql("LOCK TABLE ideas IN SHARE MODE")
_WAIT_A_SECOND = sql("SELECT set_config('lock_timeout', '1s', true)")
_ARE_LEFT = sql("""
SELECT EXISTS (SELECT FROM idea_statuses
                WHERE workspace_id = :workspace_id AND label <> ALL(:kept) AND (provisional OR :is_pruned))""")


_USED = sql("""
SELECT label, (SELECT count(*) FROM ideas i WHERE i.workspace_id = :workspace_id AND i.status = s.label) AS ideas
  FROM idea_statuses s WHERE workspace_id = :workspace_id AND label <> ALL(:kept) ORDER BY position, label""")
_DROP = sql("""
DELETE FROM idea_statuses AS s
 WHERE workspace_id = :workspace_id AND label <> ALL(:kept) AND (provisional OR :is_pruned)
   AND NOT EXISTS (SELECT FROM ideas AS i WHERE i.workspace_id = :workspace_id AND i.status = s.label)
RETURNING label""")
_COUNT = sql("SELECT count(*) FROM idea_statuses WHERE workspace_id = :workspace_id AND NOT provisional")
_MOST_LABELS = 1_000  # of a workspace: refusals list them
_KEEP = sql("UPDATE idea_statuses SET provisional = false WHERE workspace_id = :workspace_id AND provisional")


async def settle_labels(run: Run) -> AsyncIterator[None]:
    """Adds the default labels to a new workspace whose file has no list of them.

    Else removes labels that the file does not name: with --prune all of them, and one that ideas use is a fault;
    without, provisional ones that no idea uses. The labels that stay are no longer provisional.
    """
    given, pruned = "ideaStatuses" in run.given, {"ideaStatuses"} <= run.given & run.pruned
    if run.is_new and not given:
        await add_default_statuses(run.tx, run.workspace_id)
    yield
    if given and await run.tx.value(_COUNT, workspace_id=run.workspace_id) > _MOST_LABELS:
        run.faults.add("ideaStatuses", f"At most {_MOST_LABELS} labels, with those that the workspace has")
    values = {"workspace_id": run.workspace_id, "kept": list(run.seen["ideaStatuses"])}
    are_left = given and await run.tx.value(_ARE_LEFT, **values, is_pruned=pruned)
    if are_left:
        await run.tx.run(_WAIT_A_SECOND)
        await run.tx.run(_LOCK_IDEAS)
    for row in await run.tx.rows(_USED, **values) if are_left and pruned else ():
        if row["ideas"]:
            run.faults.add("ideaStatuses", f"The label {row['label']!r} is used by {row['ideas']} ideas")
    if run.faults.count or not (pruned or values["kept"]):
        return
    rows = await run.tx.rows(_DROP, **values, is_pruned=pruned) if are_left else []
    if rows or pruned:
        run.removed["ideaStatuses"] = [row["label"] for row in rows]
    await run.tx.run(_KEEP, workspace_id=run.workspace_id)
