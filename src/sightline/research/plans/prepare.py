"""Drafting a plan to review before it is started. Specification: POST /research/run, prepare."""

from collections.abc import Mapping

from msgspec.structs import replace

from sightline.catalog.products.named import ensure_product
from sightline.intelligence.plans import MOST_READS, PREPARED_SOURCES, AppRead, Name, PlanDefinition
from sightline.intelligence.research import PlanContext, Researcher
from sightline.platform.access import Actor, Role
from sightline.platform.db import Database
from sightline.platform.errors import CreatorNotAllowed, Fault, ValidationFailed
from sightline.platform.http.operations import Keep, keep_nothing
from sightline.platform.wire import Record
from sightline.research.commands import GivenPlan, PrepareCommand, SelectedApp
from sightline.research.plans.apps import SELECT, AppChoice, find_apps, read_of
from sightline.research.plans.definition import complete, ensure_consistent, ensure_valid
from sightline.research.plans.queries import find_context
from sightline.sources.app_store.store import AppStore
from sightline.workspaces.credits import ensure_credits, spend_credits

PLAN_CREDITS = 1
NO_RATIONALE = "The plan as it was given."
NOT_SELECTED = "The selected apps are not confirmed and not part of the plan; prepare it again."


class PreparedPlan(Record):
    """A plan to review; `start` takes its name and definition. `rationale` says why it is so."""

    name: Name
    definition: PlanDefinition
    rationale: str


class PreparedResearch(Record):
    """A plan, and the apps to select from where the question does not say which it means."""

    prepared_plan: PreparedPlan
    choices: list[AppChoice]
    needs_selection: bool


async def prepare(
    db: Database,
    researcher: Researcher,
    store: AppStore,
    actor: Actor,
    command: PrepareCommand,
    keep: Keep = keep_nothing,
) -> PreparedResearch:
    """Costs one credit. No transaction is open while the planner works and the store is searched.

    A store that does not answer leaves the plan without apps, and the rationale says so. The answer is kept before it
    is charged: of two requests with one Idempotency-Key the second pays nothing. Raises ValidationFailed,
    NotFound, CreatorNotAllowed, CreditsExhausted, KeyInUse.
    """
    given = _given(command)
    if given is not None:
        await _ensure_destination(db, actor, given.definition)
    if not actor.has_role(Role.EDITOR):
        raise CreatorNotAllowed("The key's creator must be an active member with the role editor or above.")
    async with db.large_read(), db.snapshot() as tx:  # 200 calls of a megabyte take seconds
        await ensure_credits(tx, actor.workspace_id, PLAN_CREDITS)
        context = await find_context(tx, actor.workspace_id)
    if given is None:
        prepared = await _draft(researcher, store, command.question, context)
    else:
        prepared = await _with_selection(store, command, given, context)
    async with db.transaction() as tx:
        await keep(tx, prepared)
        await spend_credits(tx, actor.workspace_id, PLAN_CREDITS)
    return prepared


async def _draft(researcher: Researcher, store: AppStore, question: str, context: PlanContext) -> PreparedResearch:
    """Returns a drafted plan with the apps that are meant beyond doubt, and the apps to select from."""
    drafted = await researcher.plan(question, context)
    definition = ensure_valid(drafted.definition, "preparedPlan.definition")
    found = await find_apps(store, question, definition, context)
    plan = _reading(PreparedPlan(drafted.name, definition, drafted.rationale), found.reads, found.notes)
    return PreparedResearch(plan, found.choices, needs_selection=bool(found.choices))


async def _with_selection(
    store: AppStore, command: PrepareCommand, plan: PreparedPlan, context: PlanContext
) -> PreparedResearch:
    """The given plan with the selected apps, as the store names them now. Raises ValidationFailed."""
    plan = _without_requests(plan)
    if selected := command.selection:
        found = await find_apps(store, command.question, plan.definition, context)
        labels = {read.external_id: read.label for read in found.reads}
        labels |= {choice.external_id: choice.label for choice in found.choices}
        if found.is_answered:
            _ensure_choices(selected, labels)
            plan = _reading(plan, [read_of(one.external_id, labels[one.external_id]) for one in selected], [])
        else:
            plan = _reading(plan, [], [*found.notes, NOT_SELECTED])
    return PreparedResearch(plan, [], needs_selection=False)


def _without_requests(plan: PreparedPlan) -> PreparedPlan:
    """The plan whose rationale no longer asks for a selection, as it has been made."""
    kept = plan.rationale
    for request in (SELECT, NOT_SELECTED):
        kept = kept.replace(f" {request}", "").replace(request, "")
    return replace(plan, rationale=kept or NO_RATIONALE)


def _ensure_choices(selected: list[SelectedApp], labels: Mapping[str, str]) -> None:
    ids = [one.external_id for one in selected]
    faults = []
    for n, id in enumerate(ids):
        if id not in labels:
            faults.append(Fault(f"command.selection[{n}]", "Not among the choices of this plan"))
        elif id in ids[:n]:
            faults.append(Fault(f"command.selection[{n}]", "The same app twice"))
    if faults:
        raise ValidationFailed(faults)


def _reading(plan: PreparedPlan, reads: list[AppRead], notes: list[str]) -> PreparedPlan:
    """The plan with more apps to read. Raises ValidationFailed if they are too many."""
    all_reads = {read.external_id: read for read in (*plan.definition.reads, *reads)}
    if len(all_reads) > MOST_READS:
        raise ValidationFailed.of("command.selection", f"A plan reads at most {MOST_READS} apps")
    definition = replace(plan.definition, reads=list(all_reads.values()))
    return PreparedPlan(plan.name, definition, " ".join([plan.rationale, *notes]))


def _given(command: PrepareCommand) -> PreparedPlan | None:
    """The plan of an earlier response. Raises ValidationFailed for one without a selection, or the reverse."""
    ensure_consistent(command, "command")
    if command.prepared_plan is None:
        return None
    plan: GivenPlan = command.prepared_plan
    definition = complete(plan.definition)
    if plan.definition.max_sources_per_section is None:
        definition = replace(definition, max_sources_per_section=PREPARED_SOURCES)
    return PreparedPlan(plan.name, definition, plan.rationale or NO_RATIONALE)


async def _ensure_destination(db: Database, actor: Actor, definition: PlanDefinition) -> None:
    if not definition.product_id:
        return
    async with db.autocommit() as tx:
        field = "command.preparedPlan.definition.productId"
        await ensure_product(tx, actor.workspace_id, definition.product_id, field)
