"""Ideas with their questions, comments, evidence and classifications in the workspace file."""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from sightline.ideas.classifications.file import ClassificationPart, classified, show_classifications
from sightline.ideas.comments.file import COMMENTS, CommentRecord
from sightline.ideas.evidence.file import EVIDENCE, EvidenceRecord
from sightline.ideas.labels import Label, find_labels, initial_label
from sightline.ideas.matching.chosen_features import chosen_features_forbid_move
from sightline.ideas.matching.file import FEATURE_MATCHING
from sightline.ideas.matching.records import FeatureOwnership
from sightline.ideas.matching.selection import MOST_QUOTES, quotes_only
from sightline.ideas.questions.drafted import remove_drafted
from sightline.ideas.questions.file import QUESTIONS, QuestionRecord
from sightline.ideas.records import Name, OfficialAnswer
from sightline.intelligence.embedded.naming import name_idea
from sightline.platform.db import Statement, sql
from sightline.platform.file_parts.entries import Entry, Run, sound
from sightline.platform.file_parts.tables import Extra, FileRecord, KeyedRecord, Link, Links, Nullable, Part, Table
from sightline.platform.wire import Short, Text, Whole, Word

_MOST_OF_PROVENANCE = 10_000  # bytes


async def _rules(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Asks the rules of all writers about each idea; an idea that they refuse is not written.

    Untouched questions of an old description go, unless the file lists questions.
    """
    labels = await find_labels(run.tx, run.workspace_id)
    if "ideaStatuses" in run.pruned:
        labels = [each for each in labels if each.label in run.seen["ideaStatuses"]]
    for entry in entries:
        if len(msgspec.json.encode(entry.given.get("provenance"))) > _MOST_OF_PROVENANCE:
            run.refuse(entry, "provenance", f"Takes more than {_MOST_OF_PROVENANCE} bytes")
        _settle_status(run, entry, labels)
    await _refuse_aliases(run, entries)
    async with classified(run, entries):
        yield
    described = [one.id for one in sound(entries) if "description" in one.changed and not one.given.get("questions")]
    if described:
        await remove_drafted(run.tx, run.workspace_id, described)


def _settle_status(run: Run, entry: Entry, labels: list[Label]) -> None:
    if entry.row["status"] is None and labels:
        entry.row["status"] = initial_label(labels)
    known = [each.label for each in labels]
    status, is_moved = entry.row["status"], entry.is_new or "status" in entry.given
    if ("ideaStatuses", status) in run.faulty_records:
        entry.broken = True
    elif is_moved and status not in known:
        named = repr(status) if status else "first label"
        run.refuse(entry, "status", f"There is no {named} among the workspace's labels: {', '.join(known)}")


def _complete(run: Run, entry: Entry) -> None:
    """Names an idea without a name. Refuses a matching that quotes what the description lacks; a stored one goes.

    Drops matched features, which are of the stored product, with it; refuses another product for chosen ones.
    """
    row = entry.row
    if row["name"] is None:
        row["name"] = entry.stored["name"] if entry.stored else name_idea(row["description"])
    if not quotes_only(row["description"], row["feature_matching"]):
        row["feature_matching"] = None
        if entry.given.get("featureMatching") is not None:
            run.refuse(
                entry, "featureMatching", f"Has more than {MOST_QUOTES} quotes, or one that is not in the description"
            )
    if entry.links.get("features") and entry.row["product_id"] is None:
        run.refuse(entry, "features", "An idea without a product has no features")
    if entry.is_new or "features" in entry.links or entry.row["product_id"] == entry.stored["product_id"]:
        return
    if chosen_features_forbid_move(entry.row, entry.stored["feature_ids"]):
        run.refuse(entry, "product", "The idea has chosen features of another product; give its features too")
    elif entry.stored["feature_ids"]:
        entry.links["features"] = []


_IDENTITY = ("source_key", "integration_id", "external_id")
# An idea that the file adds has no number yet.
_HAVING = """
SELECT g.n, CASE WHEN idea.number > 0 THEN 'IDEA-' || idea.number ELSE 'another idea of the file' END AS idea
  FROM unnest(:source_keys::text[], :integration_ids::uuid[], :external_ids::text[])
       WITH ORDINALITY AS g (source_key, integration_id, external_id, n)
  JOIN {table} AS t ON t.workspace_id = :workspace_id AND t.external_id = g.external_id
   AND (t.source_key = g.source_key OR t.integration_id = g.integration_id)
  JOIN ideas AS idea ON idea.workspace_id = :workspace_id AND idea.id = t.{idea_id}
 ORDER BY g.n, idea.number"""
_WITH_IDENTITY = sql(_HAVING, table="ideas", idea_id="id")
_WITH_ALIAS = sql(_HAVING, table="idea_aliases", idea_id="idea_id")


async def _find_having(run: Run, statement: Statement, entries: Sequence[Entry]) -> list[tuple[Entry, str]]:
    """Returns the entries whose identity an idea has, with that idea."""
    values = {f"{name}s": [entry.row[name] for entry in entries] for name in _IDENTITY}
    rows = await run.tx.rows(statement, workspace_id=run.workspace_id, **values) if entries else []
    return [(entries[row["n"] - 1], row["idea"]) for row in rows]


async def _refuse_aliases(run: Run, entries: Sequence[Entry]) -> None:
    """Refuses a new identity that is an alias."""
    new = [
        entry
        for entry in sound(entries)
        if entry.row["external_id"] is not None
        and (entry.is_new or any(entry.row[name] != entry.stored[name] for name in _IDENTITY))
    ]
    for entry, idea in await _find_having(run, _WITH_ALIAS, new):
        run.refuse(entry, "externalId", f"Is an alias of {idea}")


class AliasRecord(FileRecord):
    """An identity that the idea had elsewhere, for example as a post that another tool merged into it."""

    source_key: Word | None = None
    integration: Annotated[Word | None, Link("integrations")] = None
    external_id: Word | UnsetType = UNSET


async def _refuse_own(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Refuses an alias that is the identity of an idea, and one without a source."""
    entries = sound(entries)
    for entry, idea in await _find_having(run, _WITH_IDENTITY, entries):
        run.refuse(entry, "externalId", f"Is the identity of {idea}")
    for entry in entries:
        if entry.row["source_key"] is None and entry.row["integration_id"] is None:
            run.refuse(entry, "sourceKey", "Give a sourceKey or an integration")
    yield


ALIASES = Table(
    "ideas.aliases",
    "idea_aliases",
    AliasRecord,
    parents=("idea_id",),
    logged=False,
    identities=(("source_key", "external_id"), ("integration_id", "external_id")),
    stamped=False,
    order="external_id, id",
    rules=_refuse_own,
)


class InsightLink(Part):
    """An insight, and whether it is validated for the idea."""

    insight: str
    validated: bool | UnsetType = UNSET


class IdeaRecord(KeyedRecord):
    """A candidate solution. A new one without a name is named by its description."""

    name: Name | None = None
    description: Text | UnsetType = UNSET
    status: str | None = None
    product: Annotated[Word | None, Link("products")] = None
    initiative: Annotated[Word | None, Link("initiatives")] = None
    integration: Annotated[Word | None, Link("integrations")] = None
    sprint: Annotated[Word | None, Link("sprints")] = None
    source_key: Word | None = None
    external_id: Word | None = None
    created_source: Annotated[Short | None, Nullable()] = "file"
    provenance: Annotated[dict[str, Any] | None, Nullable()] = msgspec.field(default_factory=lambda: {"method": "file"})
    feature_ownership: FeatureOwnership | None = "automatic"
    feature_matching: Annotated[dict[str, Any] | None, FEATURE_MATCHING] = None
    portal_visible: bool | None = False
    official_answer: OfficialAnswer | None = None
    imported_vote_count: Whole | None = 0
    features: Annotated[list[str] | None, Links("products.features", "idea_features", scope="product_id")] = None
    opportunities: Annotated[list[str] | None, Links("opportunities", "idea_opportunities")] = None
    insights: Annotated[list[str | InsightLink] | None, Links("insights", "idea_insights", "validated")] = None
    accounts: Annotated[list[str] | None, Links("accounts", "idea_accounts")] = None
    questions: list[QuestionRecord] | None = None
    comments: list[CommentRecord] | None = None
    evidence: list[EvidenceRecord] | None = None
    aliases: list[AliasRecord] | None = None
    taxonomy_version: Annotated[int | None, Extra()] = None
    classifications: Annotated[list[ClassificationPart] | None, Extra()] = None


IDEAS = Table(
    "ideas",
    "ideas",
    IdeaRecord,
    children=(QUESTIONS, COMMENTS, EVIDENCE, ALIASES),
    identities=(("source_key", "external_id"), ("integration_id", "external_id")),
    versioned="version",
    numbered=True,
    counted=True,
    hidden={"taxonomy_version_id": None},
    complete=_complete,
    rules=_rules,
    show=show_classifications,
)
