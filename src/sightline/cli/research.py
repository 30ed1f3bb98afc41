"""`sightline research`: asking a question, and checking the quotes of the answer."""

import sys
from datetime import datetime
from functools import partial
from typing import Annotated
from uuid import UUID, uuid4

import msgspec
import typer
from rich.progress import TaskProgressColumn

from sightline.cli.options import InWorkspace, argument, option, read_moment
from sightline.cli.output import counted, note
from sightline.cli.progress import Bar, watch
from sightline.cli.site import Site, site_command
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.model.research.researcher import choose_researcher
from sightline.intelligence.plans import PlanDefinition
from sightline.language_model import model_tools
from sightline.platform.access import Actor
from sightline.platform.ids import new_id
from sightline.platform.refused import Refused
from sightline.platform.wire import read_wire_type
from sightline.research.commands import PlanQuestion, PrepareCommand, StartCommand
from sightline.research.plans.prepare import PreparedPlan, prepare
from sightline.research.plans.window import with_window
from sightline.research.runs.active import ACTIVE
from sightline.research.runs.records import RunReceipt
from sightline.research.runs.results import Research, follow_run, read_results
from sightline.research.runs.start import start
from sightline.research.runs.verify import Verification, verify_run
from sightline.sources.app_store.store import AppStore
from sightline.sources.periods import find_period


def _print_research(research: Research) -> None:
    for section in research.sections:
        typer.echo(f"\n{section.name}")
        if section.failure:
            typer.echo(f"  {section.failure}")
        if section.answer:
            typer.echo(f"  {section.answer.summary}")
        for answered in section.answer.questions if section.answer else ():
            typer.echo(f"  {answered.question}\n    {answered.answer}")
        for number, finding in enumerate(section.findings, 1):
            source = ", ".join(filter(None, (finding.publisher, (finding.published_at or "undated")[:10])))
            typer.echo(f"  [{number}] {finding.title} ({source})\n      {finding.url}")
            for one in finding.observations:
                typer.echo(f'      "{one.quote}"')
    typer.echo(f"\nresearch {research.brief_id}\nrun      {research.run.id}")


@site_command("research ask", show=_print_research)
async def ask(
    site: Site,
    question: Annotated[str, argument("QUESTION", "8 to 3,000 characters.")],
    workspace: InWorkspace,
    yes: Annotated[bool, option("Start the plan without asking.", "--yes")] = False,
    since: Annotated[datetime | None, option("Sources since this day.", parser=read_moment, metavar="DATE")] = None,
    baseline: Annotated[bool, option("Take older and undated sources too.", "--baseline")] = False,
) -> Research:
    """Plans a question, runs the plan and prints the findings. Asks before it starts; a worker searches."""
    asked = PrepareCommand(question=_read_question(question))
    async with site.transaction(workspace) as (tx, actor):
        now = tx.now
    store = AppStore(site.settings.app_store_url, site.settings.app_store_country)
    embedded, tools = EmbeddedResearcher(), model_tools(site.settings)
    researcher = await choose_researcher(site.db, tools, embedded, actor.workspace_id, new_id())
    prepared = await prepare(site.db, researcher, store, actor, asked)
    plan = prepared.prepared_plan
    try:
        plan.definition = with_window(plan.definition, since, now, is_baseline=baseline)
    except ValueError as error:
        raise Refused(f"--since: {error}.") from None
    _show_plan(plan, now)
    if since or baseline:
        note("The window is that of --since and --baseline.")
    for choice in prepared.choices:
        note(f"  not read: {choice.label} ({choice.publisher}). {choice.reason}")
    if not yes:
        _confirm_start()
    chosen = {"action": "start", "requestId": str(uuid4()), "name": plan.name, "definition": plan.definition}
    command = msgspec.convert(msgspec.to_builtins(chosen), StartCommand, dec_hook=read_wire_type)
    started = await start(site.db, actor, command)
    run = await _wait(site, actor, started.run)
    if run.status != "completed":
        failures = dict.fromkeys(section.failure for section in run.sections if section.failure)
        raise Refused(f"The run is {run.status}. {' '.join(failures) or run.failure or ''}".strip())
    async with site.db.snapshot() as tx:
        return await read_results(tx, actor.workspace_id, run)


def _confirm_start() -> None:
    """Raises Refused after a no, BadParameter if standard input is closed or empty."""
    unasked = typer.BadParameter("standard input has no answer; add --yes to start without asking", param_hint="--yes")
    if sys.stdin is None:
        raise unasked
    try:
        is_confirmed = typer.confirm("Start it?", err=True)
    except typer.Abort as error:
        if isinstance(error.__context__, EOFError):  # else it was Ctrl-C
            note("")
            raise unasked from None
        raise
    if not is_confirmed:
        raise Refused("Nothing was started.")


def _read_question(text: str) -> PlanQuestion:
    """Returns the question without surrounding white space. Raises Refused if it is too short or too long."""
    try:
        return PlanQuestion(PlanQuestion.read(text))
    except ValueError as error:
        raise Refused(f"QUESTION: {error}.") from None


def _show_plan(plan: PreparedPlan, now: datetime) -> None:
    note(f"{plan.name}\n{plan.rationale}")
    for section in plan.definition.sections:
        note(f"\n{section.name} ({section.type})")
        if section.competitors:
            note(f"  competitors: {', '.join(one.name for one in section.competitors)}")
        for question in section.questions:
            note(f"  - {question}")
    note(f"\n{_sum_up(plan.definition, now)}")


def _sum_up(plan: PlanDefinition, now: datetime) -> str:
    periods = [find_period(question, now) for section in plan.sections for question in section.questions]
    window = "any age"
    if plan.research_mode == "recent":
        window = f"sources of the last {plan.initial_lookback_days} days"
    elif words := list(dict.fromkeys(period.words for period in periods if period)):
        window = f"dated {' or '.join(words)}"
    sections, sources = counted(len(plan.sections), "section"), counted(plan.max_sources_per_section, "source")
    return f"{sections}, up to {sources} each, {window}."


async def _wait(site: Site, actor: Actor, run: RunReceipt) -> RunReceipt:
    """Waits until the run has ended."""
    look = partial(follow_run, workspace_id=actor.workspace_id, brief_id=run.brief_id)
    with Bar("Searching", TaskProgressColumn()) as bar:
        async for run in watch(site.db, look, ACTIVE):
            bar.begin(len(run.sections))
            bar.reach(sum(section.status not in ACTIVE for section in run.sections))
    return run


def _print_verification(checked: Verification) -> None:
    for wrong in checked.mismatches:
        quote = f' "{" ".join(wrong.quote.split())}"' if wrong.quote else ""
        typer.echo(f"{wrong.finding_id}  {wrong.url}  {wrong.reason}{quote}")
    faults = len(checked.mismatches)
    checks = f"{counted(checked.quotes, 'quote')} of {counted(checked.findings, 'finding')}"
    typer.echo(f"{checks}, {faults} {'does' if faults == 1 else 'do'} not match.")


@site_command("research verify", show=_print_verification, code=lambda checked: bool(checked.mismatches))
async def verify(site: Site, run: Annotated[UUID, argument("RUN", "The run's UUID.")]) -> Verification:
    """Checks every quote of a run against its source. The exit code is 1 if one does not match."""
    async with site.db.snapshot() as tx:
        return await verify_run(tx, run)
