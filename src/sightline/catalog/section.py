"""Products, teams, the workflow, the taxonomy, accounts, integrations and sprints in the workspace file."""

from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta

from sightline.catalog.defaults import add_default_statuses
from sightline.catalog.taxonomy_section import TAXONOMY
from sightline.platform.file_section import Entry, Field, Link, Run, Section, Table
from sightline.platform.file_section import fields as of

_PARENT = Field("parent", "parent_id", Annotated[str, Meta(min_length=1)], nullable=True, show=of.show_id)
_LABEL = Field("label", "label", Annotated[str, Meta(min_length=1, max_length=120, pattern=r"\S")], required=True)


async def _settle_features(run: Run, entries: list[Entry]) -> None:
    """Finds parents among the product's features, those of the file too; refuses circles."""
    by_name: dict[tuple[UUID, str], UUID] = {}
    for entry in entries:
        for name in (str(entry.row.get("id")), entry.row.get("key")):
            if name:
                by_name[entry.row["product_id"], name] = entry.row["id"]
    naming = [entry for entry in entries if entry.given.get("parent") is not None]
    for product in {entry.row["product_id"] for entry in naming}:
        texts = [entry.given["parent"] for entry in naming if entry.row["product_id"] == product]
        await run.lookup.load("products.features", texts, product)
    for entry in naming:
        _find_parent(run, entry, by_name)
    await _refuse_circles(run, [entry for entry in naming if not entry.broken])


def _find_parent(run: Run, entry: Entry, by_name: dict[tuple[UUID, str], UUID]) -> None:
    product, text = entry.row["product_id"], entry.given["parent"]
    found = by_name.get((product, text.lower())) or by_name.get((product, text))
    found = found or run.lookup.find("products.features", text, product)
    if found is None:
        entry.broken = True
        if ("products.features", text) not in run.notes["excused"]:
            run.refuse(entry, "parent", f"There is no {text!r} among the product's features")
    entry.row["parent_id"] = found


_PARENTS = "SELECT id, parent_id FROM features WHERE workspace_id = $1 AND product_id = ANY($2)"


async def _refuse_circles(run: Run, entries: list[Entry]) -> None:
    if not entries:
        return
    products = list({entry.row["product_id"] for entry in entries})
    rows = await run.tx.rows(_PARENTS, run.workspace_id, products)
    parents: dict[UUID, UUID | None] = {row["id"]: row["parent_id"] for row in rows}
    parents |= {entry.row["id"]: entry.row["parent_id"] for entry in entries}
    sound: set[UUID] = set()
    for entry in entries:
        if _is_circular(entry.row["id"], parents, sound):
            run.refuse(entry, "parent", "The feature would stand below itself")


def _is_circular(start: UUID, parents: dict[UUID, UUID | None], sound: set[UUID]) -> bool:
    passed: set[UUID] = set()
    at: UUID | None = start
    while at is not None and at not in sound:
        if at in passed:
            return True
        passed.add(at)
        at = parents.get(at)
    sound |= passed
    return False


_FLAGGED = "SELECT label FROM idea_statuses WHERE workspace_id = $1 AND promotion"
_UNFLAG = "UPDATE idea_statuses SET promotion = false WHERE workspace_id = $1 AND label = ANY($2)"


async def _settle_statuses(run: Run, entries: list[Entry]) -> None:
    """At most one label is reserved for promotion."""
    flagged = [entry for entry in entries if entry.row.get("promotion") and not entry.broken]
    for entry in flagged[1:]:
        run.refuse(entry, "promotion", f"Only one label can be the promotion label; {flagged[0].path} is already")
    named = {entry.row.get("label") for entry in entries}
    stored = [row["label"] for row in await run.tx.rows(_FLAGGED, run.workspace_id)]
    others = [label for label in stored if label not in named]
    if flagged and others and "ideaStatuses" not in run.pruned:
        run.refuse(flagged[0], "promotion", f"The label {others[0]!r} is the promotion label already")
    if flagged:
        await run.tx.run(_UNFLAG, run.workspace_id, [label for label in stored if label != flagged[0].row["label"]])
    run.notes.setdefault("labels", []).extend(named)


async def _note_renamed_teams(run: Run, entries: list[Entry]) -> None:
    renamed = [entry.id for entry in entries if not entry.is_new and "name" in entry.changed]
    run.notes.setdefault("renamed teams", []).extend(renamed)


FEATURES = Table(
    "products.features",
    "features",
    (of.name(), of.text("description"), _PARENT),
    kind="feature",
    parents=(("product_id", "id"),),
    position="position",
    order="position, id",
    settle=_settle_features,
)
PRODUCTS = Table(
    "products",
    "products",
    (of.name(), of.text("description")),
    kind="product",
    children=(FEATURES,),
    versioned="version",
    traced=True,
    counted="product",
)
TEAMS = Table(
    "teams",
    "teams",
    (of.name(),),
    kind="team",
    links=(Link("members", "members", "team_members", "team_id", "member_id"),),
    counted="team",
    after=_note_renamed_teams,
)
STATUSES = Table(
    "ideaStatuses",
    "idea_statuses",
    (_LABEL, of.flag("promotion", False)),
    primary=("label",),
    keyed=False,
    stamped=False,
    position="position",
    order="position, label",
    settle=_settle_statuses,
)
CONTACTS = Table(
    "accounts.contacts",
    "account_contacts",
    (of.address(), of.text("name")),
    kind="account_contact",
    keyed=False,
    stamped=False,
    parents=(("account_id", "id"),),
    identities=(("account_id", "email"),),
    folded=frozenset({"email"}),
    position="position",
    order="position, id",
)
ACCOUNTS = Table(
    "accounts",
    "accounts",
    (of.word("externalId"), of.name(), of.word("domain")),
    kind="account",
    children=(CONTACTS,),
    alias="external_id",
    identities=(("external_id",),),
    versioned="version",
    traced=True,
    counted="account",
)
INTEGRATIONS = Table(
    "integrations",
    "integrations",
    (of.word("kind", required=True), of.name(), of.flag("managesStatus", False)),
    kind="integration",
)
SPRINTS = Table(
    "sprints",
    "sprints",
    (of.name(), of.choice("state", "planned", "active", "completed", default="planned")),
    kind="sprint",
)


# Ideas have no foreign key on their label: until this transaction ends, nobody gives one to an idea.
_LOCK_IDEAS = "LOCK TABLE ideas IN SHARE MODE"


async def _begin(run: Run) -> None:
    """A new workspace that names no labels gets the default ones."""
    if "ideaStatuses" in run.pruned:
        await run.tx.run(_LOCK_IDEAS)
    if run.is_new and "ideaStatuses" not in run.given:
        await add_default_statuses(run.tx, run.workspace_id)


_USED = """
SELECT label, (SELECT count(*) FROM ideas i WHERE i.workspace_id = $1 AND i.status = s.label) AS ideas
  FROM idea_statuses s WHERE workspace_id = $1 AND label <> ALL($2) ORDER BY position, label"""
_DROP = "DELETE FROM idea_statuses WHERE workspace_id = $1 AND label <> ALL($2)"


async def _end(run: Run) -> None:
    """Labels that the file leaves out of a pruned list go, unless ideas still have them."""
    if "ideaStatuses" not in run.pruned or "ideaStatuses" not in run.given:
        return
    kept: list[Any] = run.notes.get("labels", [])
    gone = await run.tx.rows(_USED, run.workspace_id, kept)
    for row in gone:
        if row["ideas"]:
            run.faults.add("ideaStatuses", f"The label {row['label']!r} is used by {row['ideas']} ideas")
    if not run.faults.count:
        await run.tx.run(_DROP, run.workspace_id, kept)
    run.notes["removed"]["ideaStatuses"] = len(gone)


SECTION = Section(
    tables=(PRODUCTS, TEAMS, STATUSES, ACCOUNTS, INTEGRATIONS, SPRINTS),
    parts=(TAXONOMY,),
    begin=_begin,
    end=_end,
)
