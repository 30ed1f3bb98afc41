"""What a repeated POST changes in the idea that its identity names. Decisions: Identity update.

Omitted fields stay. Description, name, status and product are replaced, insights and accounts are added, supplied
features replace and become a manual selection. Provenance, channel and creation date never change.
"""

from typing import Any
from uuid import UUID

from sightline.ideas import links, queries, read
from sightline.ideas.classifications.assign import assign
from sightline.ideas.classifications.suggest import renew_suggestions
from sightline.ideas.identity import find_known, refuse_two
from sightline.ideas.links import distinct
from sightline.ideas.matching.outcome import MATCHED, NONE, Outcome, quotes_only
from sightline.ideas.preparation import Preparation, moves_choice, replaces_features
from sightline.ideas.questions.drafted import add_drafted, renew_drafted
from sightline.ideas.readings.due import mark_due
from sightline.ideas.records import Idea, NewIdea
from sightline.ideas.status import SourceManaged
from sightline.intelligence.engine import Engine
from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.db.database import Row
from sightline.platform.db.updates import update_record
from sightline.platform.errors import ValidationFailed
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Versioned, version_tag
from sightline.workspaces.changes import log_change


async def update_known(
    tx: Tx, engine: Engine, actor: Actor, new_idea: NewIdea, prepared: Preparation, expect: Expectation
) -> Versioned[Idea] | None:
    """Updates the known idea under its lock. Returns None if it changed since it was read; the caller retries."""
    found = await find_known(tx, actor.workspace_id, new_idea, lock=True)
    tx = tx.later()
    refuse_two(found)
    if prepared.known is None or not found or not _is_still(found[0], prepared.known, new_idea):
        return None
    current = found[0]
    outcome = prepared.outcome if replaces_features(current, new_idea) else None
    if outcome is None and replaces_features(current, new_idea):
        return None
    expect(version_tag(current["id"], current["version"]))
    await _refuse_foreign_status(tx, actor.workspace_id, new_idea, current)
    linked = await _link(tx, actor.workspace_id, current, new_idea, prepared, outcome)
    if new_idea.description != current["description"]:
        await renew_suggestions(tx, engine, actor.workspace_id, current["id"], new_idea.description)
        await renew_drafted(tx, actor.workspace_id, current["id"], prepared.drafted)
    else:
        await add_drafted(tx, actor.workspace_id, current["id"], prepared.drafted)
    columns = _columns(new_idea, current, prepared)
    if outcome is not None:
        columns |= outcome.columns
    elif not quotes_only(new_idea.description, current["feature_matching"]):
        columns |= NONE
    await _store(tx, actor, current, columns, linked)
    is_matched = outcome is not None and outcome.ownership == "automatic"
    if prepared.model_follows and (is_matched or new_idea.description != current["description"]):
        await mark_due(tx, actor.workspace_id, current["id"])
    row = await queries.find_idea(tx, actor.workspace_id, IdeaRef(id=current["id"]))
    return await read.with_classifications(tx, actor, row) if prepared.assignments else read.versioned(row)


def _is_still(current: Row, seen: Row, new_idea: NewIdea) -> bool:
    """Whether references and features were checked against the current idea. A supplied product replaces any other."""
    deciding = ["id", "feature_ownership"] + ([] if new_idea.product_id else ["product_id"])
    return not any(current[column] != seen[column] for column in deciding)


_MANAGES_STATUS = sql("SELECT manages_status FROM integrations WHERE workspace_id = :workspace_id AND id = :id")


async def _refuse_foreign_status(tx: Tx, workspace_id: UUID, new_idea: NewIdea, current: Row) -> None:
    """Only the integration's own record may change a status that the integration owns."""
    owner = current["integration_id"]
    if new_idea.status in (None, current["status"]) or owner in (None, new_idea.integration_id):
        return
    if await tx.value(_MANAGES_STATUS, workspace_id=workspace_id, id=owner):
        raise SourceManaged("The integration of the idea sets its status. Change it there.", field="status")


async def _link(
    tx: Tx, workspace_id: UUID, current: Row, new_idea: NewIdea, prepared: Preparation, outcome: Outcome | None
) -> list[str]:
    """Returns the kinds of links that changed."""
    idea = (workspace_id, current["id"])
    insights, accounts = distinct(new_idea.insight_ids), distinct(new_idea.account_ids)
    changed = {
        "classifications": await assign(tx, *idea, prepared.assignments),
        "insights": await links.add_insights(tx, *idea, insights, validated=bool(new_idea.validate_insight_links)),
        "accounts": await links.add_accounts(tx, *idea, accounts),
    }
    if moves_choice(current, new_idea):
        _refuse_unfitting(current)
    elif outcome is not None:
        changed["features"] = await links.replace_features(tx, *idea, outcome.feature_ids)
    return [name for name, count in changed.items() if count]


def _refuse_unfitting(current: Row) -> None:
    """Refuses another product while there are chosen features: they stay, and belong to one product."""
    if current["feature_ids"]:
        raise ValidationFailed.of("productId", "The manually chosen features are of another product")


def _columns(new_idea: NewIdea, current: Row, prepared: Preparation) -> dict[str, Any]:
    """Returns the columns after the update. A missing part of an identity is filled in; none is ever replaced."""
    return {
        "name": new_idea.name or current["name"],
        "description": new_idea.description,
        "status": new_idea.status or current["status"],
        "product_id": new_idea.product_id or current["product_id"],
        "integration_id": current["integration_id"] or new_idea.integration_id,
        "source_key": current["source_key"] or new_idea.source_key,
        "taxonomy_version_id": prepared.taxonomy_id or current["taxonomy_version_id"],
        "portal_visible": current["portal_visible"] if new_idea.portal_visible is None else new_idea.portal_visible,
        "official_answer": new_idea.official_answer or current["official_answer"],
    }


async def _store(tx: Tx, actor: Actor, current: Row, columns: dict[str, Any], linked: list[str]) -> None:
    """Leaves version and `updated_at` alone if nothing changed. The same choice at another time is no change."""
    moved = {name: value for name, value in columns.items() if value != current[name]}
    fields = [name for name in moved if name not in MATCHED] + linked
    is_chosen_again = columns.get("feature_ownership") == "manual"
    if not fields and (is_chosen_again or not moved):
        return
    if "name" in moved:
        moved["name_drafted"] = False
    await update_record(tx, "ideas", actor.workspace_id, current["id"], moved)
    about = (tx, actor, "idea", current["id"], current["public_id"])
    await log_change(*about, "updated", fields=fields)
    if "status" in moved:
        await log_change(*about, "status_changed", **{"from": current["status"], "to": moved["status"]})
