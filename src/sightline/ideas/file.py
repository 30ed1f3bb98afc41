"""Ideas with their questions, comments, evidence and classifications in the workspace file."""

from dataclasses import replace
from typing import get_args
from uuid import UUID

from sightline.catalog.file_changes import CatalogChanges
from sightline.ideas.classifications.file import (
    ClassificationPart,
    distrust_vanished_options,
    settle_classifications,
    show_classifications,
    write_classifications,
)
from sightline.ideas.comments.records import CommentVisibility
from sightline.ideas.evidence.records import EvidenceOrigin, EvidenceRole, EvidenceTitle
from sightline.ideas.matching.file import FEATURE_MATCHING
from sightline.ideas.matching.outcome import quotes_only
from sightline.ideas.matching.records import FeatureOwnership
from sightline.ideas.questions.drafted import remove_drafted
from sightline.ideas.questions.records import QuestionStatus
from sightline.ideas.records import Name, OfficialAnswer
from sightline.ideas.status import find_labels
from sightline.intelligence.embedded.naming import name_idea
from sightline.platform.db import sql
from sightline.platform.file_section import Entry, Field, Link, Run, Section, Table
from sightline.platform.file_section import fields as of


async def _settle(run: Run, entries: list[Entry]) -> None:
    _settle_names(entries)
    await _settle_status(run, entries)
    _settle_matching(run, entries)
    await _settle_features(run, entries)
    await settle_classifications(run, entries)


def _settle_names(entries: list[Entry]) -> None:
    """Names an idea that has no name from its description; an existing one keeps its name."""
    for entry in entries:
        if not entry.broken and entry.row["name"] is None:
            entry.row["name"] = entry.stored["name"] if entry.stored else name_idea(entry.row["description"])


async def _settle_status(run: Run, entries: list[Entry]) -> None:
    """Gives a new idea the first label; refuses ideas with a label that the file removes."""
    labels = await find_labels(run.tx, run.workspace_id)
    if "ideaStatuses" in run.pruned:
        labels = [label for label in labels if label in run.state(CatalogChanges).named_labels]
    for entry in entries:
        if entry.row["status"] is None and labels:
            entry.row["status"] = labels[0]
        moved = entry.is_new or "status" in entry.given
        if ("ideaStatuses", entry.row["status"]) in run.faulty_records:
            entry.broken = True
        elif moved and entry.row["status"] not in labels:
            named = repr(entry.row["status"]) if entry.row["status"] else "first label"
            run.refuse(entry, "status", f"There is no {named} among the workspace's labels: {', '.join(labels)}")


def _settle_matching(run: Run, entries: list[Entry]) -> None:
    """Refuses a matching with quotes that are not in the description; drops one that a new description outdates."""
    for entry in entries:
        if entry.broken or quotes_only(entry.row["description"], entry.row["feature_matching"]):
            continue
        if entry.given.get("featureMatching") is None:
            entry.row["feature_matching"] = None
        else:
            run.refuse(entry, "featureMatching", "Quotes words that the description does not have")


async def _after(run: Run, entries: list[Entry]) -> None:
    """Writes the classifications. Untouched questions of an old description go, unless the file lists questions."""
    await write_classifications(run, entries)
    described = [entry.id for entry in entries if "description" in entry.changed and not entry.given.get("questions")]
    if described:
        await remove_drafted(run.tx, run.workspace_id, described)


_LINKED = sql("""
SELECT link.idea_id, bool_or(f.product_id IS DISTINCT FROM moved.product_id) AS has_foreign
  FROM unnest(:idea_ids::uuid[], :product_ids::uuid[]) AS moved (idea_id, product_id)
 CROSS JOIN LATERAL (SELECT * FROM idea_features
                      WHERE workspace_id = :workspace_id AND idea_id = moved.idea_id OFFSET 0) AS link
  JOIN features f ON f.workspace_id = :workspace_id AND f.id = link.feature_id
 GROUP BY link.idea_id""")


async def _settle_features(run: Run, entries: list[Entry]) -> None:
    """Checks that features belong to the product. A changed product drops matched features and refuses chosen ones."""
    for entry in entries:
        if not entry.broken and entry.links.get("features") and entry.row["product_id"] is None:
            run.refuse(entry, "features", "An idea without a product has no features")
    moved = [entry for entry in entries if not entry.broken and not entry.is_new and "features" not in entry.links]
    moved = [entry for entry in moved if entry.row["product_id"] != entry.stored["product_id"]]
    if moved:
        rows = await run.tx.rows(
            _LINKED,
            workspace_id=run.workspace_id,
            idea_ids=[entry.id for entry in moved],
            product_ids=[entry.row["product_id"] for entry in moved],
        )
        foreign: set[UUID] = {row["idea_id"] for row in rows if row["has_foreign"]}
        for entry in moved:
            if entry.id in foreign and entry.row["feature_ownership"] == "manual":
                run.refuse(entry, "product", "The idea has chosen features of another product; give its features too")
            elif entry.id in foreign:
                entry.links["features"] = []


async def _settle_questions(run: Run, entries: list[Entry]) -> None:
    """Marks a question with an answer as answered, unless the file has another status."""
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
        of.choice("status", *get_args(QuestionStatus), default="pending"),
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
        of.choice("visibility", *get_args(CommentVisibility), default="internal"),
    ),
    kind="idea_comment",
    parents=(("idea_id", "id"),),
)
EVIDENCE = Table(
    "ideas.evidence",
    "idea_evidence",
    (
        of.name("title", EvidenceTitle.longest),
        of.text("description"),
        of.word("category", default="observation"),
        of.extracts(),
        of.reference("signal", "signals"),
        of.choice("role", *get_args(EvidenceRole), default="supports"),
        of.choice("origin", *get_args(EvidenceOrigin), default="manual"),
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
        replace(of.name(longest=Name.longest), required=False),
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
        of.choice("featureOwnership", *get_args(FeatureOwnership), default="automatic"),
        FEATURE_MATCHING,
        of.flag("portalVisible", False),
        of.full_text("officialAnswer", longest=OfficialAnswer.longest, nullable=True),
        of.whole("importedVoteCount", 0),
    ),
    kind="idea",
    links=(_FEATURES, _OPPORTUNITIES, _INSIGHTS, _ACCOUNTS),
    children=(QUESTIONS, COMMENTS, EVIDENCE),
    identities=(("source_key", "external_id"), ("integration_id", "external_id")),
    versioned="version",
    numbered="idea",
    counted="idea",
    order="number",
    hidden=(Field("taxonomyVersion", "taxonomy_version_id", str, None, True),),
    extra=(("taxonomyVersion", int), ("classifications", list[ClassificationPart])),
    settle=_settle,
    after=_after,
    show=show_classifications,
)

SECTION = Section(tables=(IDEAS,), before={"ideas": distrust_vanished_options})
