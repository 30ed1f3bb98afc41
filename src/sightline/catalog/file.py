"""Products, teams, the workflow, the taxonomy, accounts, integrations and sprints in the workspace file."""

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.catalog.default_statuses import add_default_statuses
from sightline.catalog.file_changes import CatalogChanges
from sightline.catalog.portal_labels import PortalLabel
from sightline.catalog.taxonomy.file import TAXONOMY
from sightline.platform.db import sql
from sightline.platform.file_section import Column, Entry, FileRecord, KeyedRecord, Links, Run, Section, Table
from sightline.platform.file_section.tables import Email, Name, Word
from sightline.platform.wire import Text


async def _settle_features(run: Run, entries: list[Entry]) -> None:
    """Finds parents among the product's features, stored or in the file. Refuses cycles."""
    by_name: dict[tuple[UUID, str], UUID] = {}
    for entry in entries:
        for name in (str(entry.row.get("id")), entry.row.get("key")):
            if name:
                by_name[entry.row["product_id"], name] = entry.row["id"]
    with_parent = [entry for entry in entries if entry.given.get("parent") is not None]
    for product in {entry.row["product_id"] for entry in with_parent}:
        texts = [entry.given["parent"] for entry in with_parent if entry.row["product_id"] == product]
        await run.lookup.load("products.features", texts, product)
    for entry in with_parent:
        _find_parent(run, entry, by_name)
    await _refuse_circles(run, [entry for entry in with_parent if not entry.broken])


def _find_parent(run: Run, entry: Entry, by_name: dict[tuple[UUID, str], UUID]) -> None:
    product, text = entry.row["product_id"], entry.given["parent"]
    found = by_name.get((product, text.lower())) or by_name.get((product, text))
    found = found or run.lookup.find("products.features", text, product)
    if found is None:
        entry.broken = True
        if ("products.features", text) not in run.faulty_records:
            run.refuse(entry, "parent", f"There is no {text!r} among the product's features")
    entry.row["parent_id"] = found


_PARENTS = sql("SELECT id, parent_id FROM features WHERE workspace_id = :workspace_id AND product_id = ANY(:products)")


async def _refuse_circles(run: Run, entries: list[Entry]) -> None:
    if not entries:
        return
    products = list({entry.row["product_id"] for entry in entries})
    rows = await run.tx.rows(_PARENTS, workspace_id=run.workspace_id, products=products)
    parents: dict[UUID, UUID | None] = {row["id"]: row["parent_id"] for row in rows}
    parents |= {entry.row["id"]: entry.row["parent_id"] for entry in entries}
    sound: set[UUID] = set()
    for entry in entries:
        if _is_circular(entry.row["id"], parents, sound):
            run.refuse(entry, "parent", "The feature would be its own ancestor")


def _is_circular(start: UUID, parents: dict[UUID, UUID | None], sound: set[UUID]) -> bool:
    path: set[UUID] = set()
    at: UUID | None = start
    while at is not None and at not in sound:
        if at in path:
            return True
        path.add(at)
        at = parents.get(at)
    sound |= path
    return False


_FLAGGED = sql("SELECT label FROM idea_statuses WHERE workspace_id = :workspace_id AND promotion")
_UNFLAG = sql("""
UPDATE idea_statuses SET promotion = false WHERE workspace_id = :workspace_id AND label = ANY(:labels)""")


async def _settle_statuses(run: Run, entries: list[Entry]) -> None:
    """Refuses more than one promotion label."""
    flagged = [entry for entry in entries if entry.row.get("promotion") and not entry.broken]
    for entry in flagged[1:]:
        run.refuse(entry, "promotion", f"Only one label can be the promotion label; {flagged[0].path} is already")
    named = {entry.row.get("label") for entry in entries}
    stored = [row["label"] for row in await run.tx.rows(_FLAGGED, workspace_id=run.workspace_id)]
    others = [label for label in stored if label not in named]
    if flagged and others and "ideaStatuses" not in run.pruned:
        run.refuse(flagged[0], "promotion", f"The label {others[0]!r} is the promotion label already")
    if flagged:
        unflagged = [label for label in stored if label != flagged[0].row["label"]]
        await run.tx.run(_UNFLAG, workspace_id=run.workspace_id, labels=unflagged)
    run.state(CatalogChanges).named_labels.extend(named)


async def _note_renamed_teams(run: Run, entries: list[Entry]) -> None:
    renamed = [entry.id for entry in entries if not entry.is_new and "name" in entry.changed]
    run.state(CatalogChanges).renamed_teams.extend(renamed)


class FeatureRecord(KeyedRecord):
    """A feature of a product. `parent` names another feature of the same product."""

    name: Name | UnsetType = UNSET
    description: str | None = ""
    parent: Annotated[Word | None, Column("parent_id")] = None


FEATURES = Table(
    "products.features",
    "features",
    FeatureRecord,
    kind="feature",
    parents=(("product_id", "id"),),
    position="position",
    order="position, id",
    settle=_settle_features,
)


class ProductRecord(KeyedRecord):
    """A product with its features."""

    name: Name | UnsetType = UNSET
    description: str | None = ""
    features: list[FeatureRecord] | None = None


PRODUCTS = Table(
    "products", "products", ProductRecord, kind="product", children=(FEATURES,), versioned="version", counted="product"
)


class TeamRecord(KeyedRecord):
    """A team of members."""

    name: Name | UnsetType = UNSET
    members: Annotated[list[str] | None, Links("members", "team_members", "team_id", "member_id")] = None


TEAMS = Table("teams", "teams", TeamRecord, kind="team", counted="team", after=_note_renamed_teams)


class Label(Text):
    """1 to 120 characters, not blank."""

    longest = 120


class StatusRecord(FileRecord):
    """A label of the workflow. At most one is the promotion label."""

    label: Label | UnsetType = UNSET
    promotion: bool | None = False
    portal: PortalLabel | None = None


STATUSES = Table(
    "ideaStatuses",
    "idea_statuses",
    StatusRecord,
    primary=("label",),
    stamped=False,
    position="position",
    order="position, label",
    settle=_settle_statuses,
)


class ContactRecord(FileRecord):
    """A person at an account, known by the address in any letter case."""

    email: Email | UnsetType = UNSET
    name: str | None = ""


CONTACTS = Table(
    "accounts.contacts",
    "account_contacts",
    ContactRecord,
    kind="account_contact",
    stamped=False,
    parents=(("account_id", "id"),),
    identities=(("account_id", "email"),),
    folded=frozenset({"email"}),
    position="position",
    order="position, id",
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
    kind="account",
    children=(CONTACTS,),
    alias="external_id",
    identities=(("external_id",),),
    versioned="version",
    counted="account",
)


class IntegrationRecord(KeyedRecord):
    """A tool that ideas or signals come from."""

    kind: Word | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    manages_status: bool | None = False


INTEGRATIONS = Table("integrations", "integrations", IntegrationRecord, kind="integration")


class SprintRecord(KeyedRecord):
    """A sprint."""

    name: Name | UnsetType = UNSET
    state: Literal["planned", "active", "completed"] | None = "planned"


SPRINTS = Table("sprints", "sprints", SprintRecord, kind="sprint")


# Ideas have no foreign key on their label: the lock prevents new uses of a label until this transaction ends.
_LOCK_IDEAS = sql("LOCK TABLE ideas IN SHARE MODE")
_HAS_PROVISIONAL = sql("""
SELECT EXISTS (SELECT FROM idea_statuses WHERE workspace_id = :workspace_id AND provisional)""")


async def _begin(run: Run) -> None:
    """Adds the default labels to a new workspace whose file has none."""
    if "ideaStatuses" not in run.given:
        if run.is_new:
            await add_default_statuses(run.tx, run.workspace_id)
    elif "ideaStatuses" in run.pruned or await run.tx.value(_HAS_PROVISIONAL, workspace_id=run.workspace_id):
        await run.tx.run(_LOCK_IDEAS)


_USED = sql("""
SELECT label, (SELECT count(*) FROM ideas i WHERE i.workspace_id = :workspace_id AND i.status = s.label) AS ideas
  FROM idea_statuses s WHERE workspace_id = :workspace_id AND label <> ALL(:kept) ORDER BY position, label""")
_DROP = sql("DELETE FROM idea_statuses WHERE workspace_id = :workspace_id AND label <> ALL(:kept)")
_DROP_PROVISIONAL = sql("""
DELETE FROM idea_statuses AS s WHERE workspace_id = :workspace_id AND provisional AND label <> ALL(:kept)
   AND NOT EXISTS (SELECT FROM ideas AS i WHERE i.workspace_id = :workspace_id AND i.status = s.label)""")
_KEEP = sql("UPDATE idea_statuses SET provisional = false WHERE workspace_id = :workspace_id AND provisional")


async def _end(run: Run) -> None:
    """Removes labels that the file's list does not have: all of a pruned list, else provisional ones.

    An idea keeps its label: pruning it is a fault, and a provisional one stays.
    """
    kept = run.state(CatalogChanges).named_labels
    if "ideaStatuses" in run.pruned and "ideaStatuses" in run.given:
        await _prune_statuses(run, kept)
    elif kept and not run.is_new and not run.faults.count:
        if removed := await run.tx.run(_DROP_PROVISIONAL, workspace_id=run.workspace_id, kept=kept):
            run.removed["ideaStatuses"] = removed
        await run.tx.run(_KEEP, workspace_id=run.workspace_id)


async def _prune_statuses(run: Run, kept: list[Any]) -> None:
    left_out = await run.tx.rows(_USED, workspace_id=run.workspace_id, kept=kept)
    for row in left_out:
        if row["ideas"]:
            run.faults.add("ideaStatuses", f"The label {row['label']!r} is used by {row['ideas']} ideas")
    if not run.faults.count:
        await run.tx.run(_DROP, workspace_id=run.workspace_id, kept=kept)
    run.removed["ideaStatuses"] = len(left_out)


SECTION = Section(
    tables=(PRODUCTS, TEAMS, STATUSES, ACCOUNTS, INTEGRATIONS, SPRINTS),
    objects=(TAXONOMY,),
    begin=_begin,
    end=_end,
)
