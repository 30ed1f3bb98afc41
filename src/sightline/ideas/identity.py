"""The identities of an idea, and what a repeated POST under one changes. Decisions: Identity update.

What is omitted stays. Description, name, status and product are replaced, insights and accounts are added, given
features replace and become a manual selection. Provenance, channel and creation date never change.
"""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from sightline.ideas import classifications, detail, matching, queries, queries_create, queries_questions
from sightline.ideas.records import Idea, NewIdea
from sightline.ideas.status import SourceManaged
from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.db.database import Row
from sightline.platform.errors import Conflict, ValidationFailed
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Versioned, version_tag
from sightline.workspaces.changes import log_change

if TYPE_CHECKING:
    from sightline.ideas.create import Preparation


class IdentityConflict(Conflict):
    """409: the two identities of the request name two ideas."""

    code = "IDENTITY_CONFLICT"


async def find_known(tx: Tx, workspace_id: UUID, wish: NewIdea, *, lock: bool = False) -> list[Row]:
    """The ideas that the wish's identities name; one part of an identity alone is none."""
    if wish.external_id is None or (wish.source_key is None and wish.integration_id is None):
        return []
    return await queries_create.find_known(
        tx, workspace_id, wish.source_key, wish.integration_id, wish.external_id, lock=lock
    )


def refuse_two(found: list[Row]) -> None:
    """Raises IdentityConflict."""
    if len(found) > 1:
        raise IdentityConflict("sourceKey and integrationId name two different ideas with this externalId.")


def wants_matching(known: Row | None, wish: NewIdea, product_id: UUID | None, *, is_likely: bool = False) -> bool:
    """A new idea does; a known one when its selection is automatic and its description or product changes.

    `is_likely`: others are changing the known idea, so that it may yet come to that.
    """
    if product_id is None or wish.feature_ids is not None:
        return False
    if known is None:
        return True
    moved = known["description"] != wish.description or known["product_id"] != product_id
    return known["feature_ownership"] == "automatic" and (moved or is_likely)


def takes_choice_along(known: Row | None, product_id: UUID | None) -> bool:
    """A known idea does whose features were chosen and whose product changes; only an empty choice fits both."""
    return known is not None and known["feature_ownership"] == "manual" and known["product_id"] != product_id


async def update_known(
    tx: Tx, actor: Actor, wish: NewIdea, prepared: "Preparation", expect: Expectation
) -> Versioned[Idea] | None:
    """Updates the known idea under its lock. None when it is gone or has become another since it was looked up."""
    seen = prepared.known
    found = await find_known(tx, actor.workspace_id, wish, lock=True)
    refuse_two(found)
    if seen is None or not found or not _is_still(found[0], seen, wish):
        return None
    was, product_id = found[0], wish.product_id or found[0]["product_id"]
    if wants_matching(was, wish, product_id) or (wish.feature_ids is None and takes_choice_along(was, product_id)):
        if prepared.outcome.matching is None:
            return None
    elif wish.feature_ids is None:
        prepared = prepared._replace(outcome=matching.unmatched())
    expect(version_tag(was["id"], was["version"]))
    await _refuse_foreign_status(tx, actor.workspace_id, wish, was)
    columns = _columns(wish, was, prepared)
    linked = await _link(tx, actor.workspace_id, wish, was, prepared)
    await queries_questions.ask(tx, actor.workspace_id, was["id"], prepared.drafted)
    changed = _names_of_changes(was, columns)
    if not changed and not linked:
        return await _shown(tx, actor, was["id"], prepared)
    await queries_create.change_idea(tx, actor.workspace_id, was["id"], list(columns.values()))
    await _log(tx, actor, was, columns, changed + linked)
    return await _shown(tx, actor, was["id"], prepared)


def _is_still(now: Row, seen: Row, wish: NewIdea) -> bool:
    """What references and features were looked up for has not moved. The wish's own product stands against any."""
    deciding = ["id", "feature_ownership"] + ([] if wish.product_id else ["product_id"])
    return not any(now[column] != seen[column] for column in deciding)


_MANAGED = "SELECT manages_status FROM integrations WHERE workspace_id = $1 AND id = $2"


async def _refuse_foreign_status(tx: Tx, workspace_id: UUID, wish: NewIdea, was: Row) -> None:
    """The integration's own record may change the status that the integration owns; nobody else."""
    owner = was["integration_id"]
    if wish.status is None or wish.status == was["status"] or owner is None or owner == wish.integration_id:
        return
    if await tx.value(_MANAGED, workspace_id, owner):
        raise SourceManaged("The idea's status is kept by the integration it came from.", field="status")


def _columns(wish: NewIdea, was: Row, prepared: "Preparation") -> dict[str, Any]:
    """The columns as they shall be. An identity part is filled in where there was none, never replaced."""
    outcome = prepared.outcome
    rematched = outcome.matching is not None
    return {
        "name": wish.name or was["name"],
        "description": wish.description,
        "status": wish.status or was["status"],
        "product_id": wish.product_id or was["product_id"],
        "integration_id": was["integration_id"] or wish.integration_id,
        "source_key": was["source_key"] or wish.source_key,
        "external_id": was["external_id"],
        "feature_ownership": "manual" if wish.feature_ids is not None else was["feature_ownership"],
        "feature_matching": outcome.matching if rematched else was["feature_matching"],
        "matched_key": outcome.key if rematched else was["matched_key"],
        "taxonomy_version_id": prepared.taxonomy.id if prepared.assignments else was["taxonomy_version_id"],
    }


def _names_of_changes(was: Row, columns: dict[str, Any]) -> list[str]:
    """Columns that move. What was matched again without another result does not count as a change."""
    plain = [name for name in columns if name not in ("feature_matching", "matched_key")]
    return [name for name in plain if columns[name] != was[name]]


async def _link(tx: Tx, workspace_id: UUID, wish: NewIdea, was: Row, prepared: "Preparation") -> list[str]:
    """The kinds of links that changed."""
    id, outcome = was["id"], prepared.outcome
    changed = {
        "classifications": await classifications.assign(tx, workspace_id, id, prepared.assignments),
        "insights": await queries_create.add_insights(
            tx,
            workspace_id,
            id,
            list(dict.fromkeys(wish.insight_ids or ())),
            validated=bool(wish.validate_insight_links),
        ),
        "accounts": await queries_create.add_accounts(
            tx, workspace_id, id, list(dict.fromkeys(wish.account_ids or ()))
        ),
    }
    if wish.feature_ids is None and takes_choice_along(was, wish.product_id or was["product_id"]):
        _refuse_unfitting(was)
    elif wish.feature_ids is not None or outcome.matching is not None:
        changed["features"] = await queries_create.replace_features(tx, workspace_id, id, outcome.feature_ids)
    return [name for name, count in changed.items() if count]


def _refuse_unfitting(was: Row) -> None:
    """A manual selection stays when the product changes, so it has to fit: features belong to one product."""
    if was["feature_ids"]:
        raise ValidationFailed.of("productId", "The manually chosen features are of another product")


async def _log(tx: Tx, actor: Actor, was: Row, columns: dict[str, Any], changed: list[str]) -> None:
    public_id = was[1]
    await log_change(tx, actor, "idea", was["id"], public_id, "updated", fields=changed)
    if columns["status"] != was["status"]:
        moved = {"from": was["status"], "to": columns["status"]}
        await log_change(tx, actor, "idea", was["id"], public_id, "status_changed", **moved)


async def _shown(tx: Tx, actor: Actor, id: UUID, prepared: "Preparation") -> Versioned[Idea]:
    row = await queries.find_idea(tx, actor.workspace_id, IdeaRef(id=id))
    return await detail.with_classifications(tx, actor, row) if prepared.assignments else detail.versioned(row)
