"""Ideas with their questions, comments, evidence and classifications in the workspace file."""

from uuid import UUID

from sightline.ideas.classification_section import (
    ClassificationPart,
    distrust_vanished_options,
    settle_classifications,
    show_classifications,
    write_classifications,
)
from sightline.platform.file_section import Entry, Field, Link, Run, Section, Table
from sightline.platform.file_section import fields as of

ORIGINS = ("entity_creation", "manual", "import", "study", "research", "portal")
_LABELS = "SELECT label FROM idea_statuses WHERE workspace_id = $1 ORDER BY position, label"


async def _settle(run: Run, entries: list[Entry]) -> None:
    await _settle_status(run, entries)
    await _settle_features(run, entries)
    await settle_classifications(run, entries)


async def _settle_status(run: Run, entries: list[Entry]) -> None:
    """A new idea begins at the first label; a label that is about to go takes no ideas."""
    labels = [row["label"] for row in await run.tx.rows(_LABELS, run.workspace_id)]
    if "ideaStatuses" in run.pruned:
        labels = [label for label in labels if label in run.notes.get("labels", [])]
    for entry in entries:
        if entry.row["status"] is None and labels:
            entry.row["status"] = labels[0]
        moved = entry.is_new or "status" in entry.given
        if ("ideaStatuses", entry.row["status"]) in run.notes["excused"]:
            entry.broken = True
        elif moved and entry.row["status"] not in labels:
            named = repr(entry.row["status"]) if entry.row["status"] else "first label"
            run.refuse(entry, "status", f"There is no {named} among the workspace's labels: {', '.join(labels)}")


_LINKED = """
SELECT l.idea_id, bool_or(f.product_id IS DISTINCT FROM wish.product_id) AS foreign_too
  FROM unnest($2::uuid[], $3::uuid[]) AS wish (idea_id, product_id)
 CROSS JOIN LATERAL (SELECT * FROM idea_features l WHERE l.workspace_id = $1 AND l.idea_id = wish.idea_id OFFSET 0) AS l
  JOIN features f ON f.workspace_id = l.workspace_id AND f.id = l.feature_id
 GROUP BY l.idea_id"""


async def _settle_features(run: Run, entries: list[Entry]) -> None:
    """Features are the product's. A changed product drops those that were matched, not those that somebody chose."""
    for entry in entries:
        if not entry.broken and entry.links.get("features") and entry.row["product_id"] is None:
            run.refuse(entry, "features", "An idea without a product has no features")
    moved = [entry for entry in entries if not entry.broken and not entry.is_new and "features" not in entry.links]
    moved = [entry for entry in moved if entry.row["product_id"] != entry.stored["product_id"]]
    if moved:
        wishes = [entry.id for entry in moved], [entry.row["product_id"] for entry in moved]
        rows = await run.tx.rows(_LINKED, run.workspace_id, *wishes)
        foreign: set[UUID] = {row["idea_id"] for row in rows if row["foreign_too"]}
        for entry in moved:
            if entry.id in foreign and entry.row["feature_ownership"] == "manual":
                run.refuse(entry, "product", "The idea has chosen features of another product; give its features too")
            elif entry.id in foreign:
                entry.links["features"] = []


async def _settle_questions(run: Run, entries: list[Entry]) -> None:
    """A question with an answer is answered, unless the file says otherwise."""
    for entry in entries:
        if entry.broken:
            continue
        is_answered = bool((entry.row["answer"] or "").strip())
        if entry.is_new and "status" not in entry.given and is_answered:
            entry.row["status"] = "answered"
        if entry.row["status"] == "answered" and not is_answered:
            run.refuse(entry, "answer", "An answered question needs an answer")


QUESTIONS = Table(
    "ideas.questions",
    "idea_questions",
    (
        of.full_text("question"),
        of.text("placeholder"),
        of.text("reasoning"),
        of.choice("status", "pending", "skipped", "answered", "rejected", default="pending"),
        of.text("answer", nullable=True),
        of.choice("origin", "manual", "engine", default="manual"),
    ),
    kind="idea_question",
    parents=(("idea_id", "id"),),
    versioned="version",
    settle=_settle_questions,
)
COMMENTS = Table(
    "ideas.comments",
    "idea_comments",
    (
        of.reference("author", "members").under("member_id"),
        of.reference("portalUser", "portal.users"),
        of.full_text("body"),
        of.choice("visibility", "internal", "portal", default="internal"),
    ),
    kind="idea_comment",
    parents=(("idea_id", "id"),),
)
EVIDENCE = Table(
    "ideas.evidence",
    "idea_evidence",
    (
        of.name("title", 1000),
        of.text("description"),
        of.word("category", default="observation"),
        of.extracts(),
        of.reference("signal", "signals"),
        of.choice("role", "supports", "qualifies", "contradicts", "context", default="supports"),
        of.choice("origin", *ORIGINS, default="manual"),
        of.moment("resolvedAt"),
        of.text("resolution", nullable=True),
        of.reference("resolvedBy", "members").under("resolved_by"),
        of.moment("dismissedAt"),
    ),
    kind="idea_evidence",
    parents=(("idea_id", "id"),),
    versioned="version",
)


_FEATURES = Link(
    "features", "products.features", "idea_features", "idea_id", "feature_id", "feature_ids", scope="product_id"
)
_OPPORTUNITIES = Link(
    "opportunities", "opportunities", "idea_opportunities", "idea_id", "opportunity_id", "opportunity_ids"
)
_INSIGHTS = Link(
    "insights", "insights", "idea_insights", "idea_id", "insight_id", "insight_ids", "insight", "validated"
)
_ACCOUNTS = Link("accounts", "accounts", "idea_accounts", "idea_id", "account_id", "account_ids")

IDEAS = Table(
    "ideas",
    "ideas",
    (
        of.name(longest=1000),
        of.full_text("description"),
        Field("status", "status", str, None),
        of.reference("product", "products"),
        of.reference("initiative", "initiatives"),
        of.reference("integration", "integrations"),
        of.reference("sprint", "sprints"),
        of.word("sourceKey"),
        of.word("externalId"),
        Field("createdSource", "created_source", str, "file", True),
        Field("provenance", "provenance", dict, {"method": "file"}, True, show=of.show_json, json=True),
        of.choice("featureOwnership", "automatic", "manual", default="automatic"),
        of.json("featureMatching"),
        of.flag("portalVisible", False),
    ),
    kind="idea",
    links=(_FEATURES, _OPPORTUNITIES, _INSIGHTS, _ACCOUNTS),
    children=(QUESTIONS, COMMENTS, EVIDENCE),
    identities=(("source_key", "external_id"), ("integration_id", "external_id")),
    versioned="version",
    traced=True,
    numbered="idea",
    counted="idea",
    order="number",
    hidden=(Field("taxonomyVersion", "taxonomy_version_id", str, None, True),),
    extra=(("taxonomyVersion", int), ("classifications", list[ClassificationPart])),
    settle=_settle,
    after=write_classifications,
    show=show_classifications,
)

SECTION = Section(tables=(IDEAS,), before={"ideas": distrust_vanished_options})
