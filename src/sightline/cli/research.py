"""`sightline research`: asking a question, and checking the quotes of the answer."""

import asyncio
from time import monotonic
from typing import Annotated, Any, TypeVar
from uuid import UUID, uuid4

import msgspec
import typer

from sightline.cli.options import InWorkspace, group
from sightline.cli.output import note, print_json
from sightline.cli.progress import RowBar
from sightline.cli.refusals import CommandRefused
from sightline.cli.site import Site, command_of, operator
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.plans import Definition
from sightline.platform.access import Actor
from sightline.platform.db import Window
from sightline.platform.refs import parse_uuid
from sightline.platform.wire import Record, read_wire_type
from sightline.research.briefs.inspect import inspect
from sightline.research.briefs.records import FindingsView, Inspection, ProgressView, View
from sightline.research.commands import PlanQuestion, Prepare, Start
from sightline.research.plans.prepare import PreparedPlan, prepare
from sightline.research.runs.records import ACTIVE, Finding, RunReceipt, SectionAnswer
from sightline.research.runs.start import start
from sightline.research.runs.verify import Verification, verify_run
from sightline.sources.app_store.store import AppStore
from sightline.workspaces.tenants import find_workspace

LOOK_SECONDS = 0.3
WONDER_SECONDS = 5.0  # a worker usually begins within this time
WHOLE = Window(50)

app = group("research", "Research: ask a question, check the quotes.")


class SearchedSection(Record):
    """What a section found."""

    id: UUID
    name: str
    failure: str | None
    answer: SectionAnswer | None
    findings: list[Finding]


class Research(Record):
    """A run with what all its sections found."""

    brief_id: UUID
    run: RunReceipt
    sections: list[SearchedSection]


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


@command_of(app, "ask", show=_print_research)
async def ask(
    site: Site,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="8 to 3,000 characters.")],
    workspace: InWorkspace,
    yes: Annotated[bool, typer.Option("--yes", help="Start the plan without asking.")] = False,
) -> Research:
    """Plans a question, shows the plan, runs it and prints the findings with their sources. A worker searches."""
    asked = Prepare(question=_read_question(question))
    async with site.db.autocommit() as tx:
        actor = operator((await find_workspace(tx, workspace)).id)
    store = AppStore(site.settings.app_store_url, site.settings.app_store_country)
    prepared = await prepare(site.db, EmbeddedResearcher(), store, actor, asked)
    plan = prepared.prepared_plan
    _show_plan(plan)
    for choice in prepared.choices:
        note(f"  not read: {choice.label} ({choice.publisher}). {choice.reason}")
    if not yes and not typer.confirm("Start it?", err=True):
        raise CommandRefused("Nothing was started.")
    chosen = {"action": "start", "requestId": str(uuid4()), "name": plan.name, "definition": plan.definition}
    started = await start(site.db, actor, msgspec.convert(msgspec.to_builtins(chosen), Start, dec_hook=read_wire_type))
    run = await _wait(site, actor, started.brief_id)
    if run.status != "completed":
        failures = dict.fromkeys(section.failure for section in run.sections if section.failure)
        raise CommandRefused(f"The run is {run.status}. {' '.join(failures) or run.failure or ''}".strip())
    return await _read(site, actor, run)


def _read_question(text: str) -> PlanQuestion:
    """Returns the question without surrounding white space. Raises CommandRefused if it is too short or too long."""
    try:
        return PlanQuestion(PlanQuestion.read(text))
    except ValueError as error:
        raise CommandRefused(f"QUESTION: {error}.") from None


def _show_plan(plan: PreparedPlan) -> None:
    note(f"{plan.name}\n{plan.rationale}")
    for section in plan.definition.sections:
        note(f"\n{section.name} ({section.type})")
        if section.competitors:
            note(f"  competitors: {', '.join(one.name for one in section.competitors)}")
        for question in section.questions:
            note(f"  - {question}")
    note(f"\n{_sum_up(plan.definition)}")


def _sum_up(plan: Definition) -> str:
    window = f"sources of the last {plan.initial_lookback_days} days" if plan.research_mode == "recent" else "any age"
    sections = "1 section" if len(plan.sections) == 1 else f"{len(plan.sections)} sections"
    return f"{sections}, up to {plan.max_sources_per_section} sources each, {window}."


async def _wait(site: Site, actor: Actor, brief_id: UUID) -> RunReceipt:
    """Waits until the run has ended; a note says when no worker begins."""
    started, has_wondered, shown = monotonic(), False, 0
    with RowBar("Searching") as bar:
        while (run := await _progress(site, actor, brief_id)).status in ACTIVE:
            ended = sum(section.status not in ACTIVE for section in run.sections)
            bar.begin(len(run.sections))
            bar.advance(ended - shown)
            shown = ended
            if run.status == "queued" and monotonic() - started >= WONDER_SECONDS and not has_wondered:
                has_wondered = True
                note("Still waiting for a worker: `sightline serve` runs one, and `sightline worker` runs one alone.")
            await asyncio.sleep(LOOK_SECONDS)
    return run


async def _progress(site: Site, actor: Actor, brief_id: UUID) -> RunReceipt:
    run = (await _view(site, actor, brief_id, ProgressView, "progress")).run
    assert run is not None  # noqa: S101 - it was started
    return run


async def _read(site: Site, actor: Actor, run: RunReceipt) -> Research:
    sections = []
    for one in run.sections:
        found = await _view(site, actor, run.brief_id, FindingsView, "findings", run_id=run.id, section_id=one.id)
        sections.append(SearchedSection(one.id, one.name, one.failure, found.answer, found.items))
    return Research(run.brief_id, run, sections)


Shown = TypeVar("Shown", ProgressView, FindingsView)


async def _view(site: Site, actor: Actor, brief_id: UUID, kind: type[Shown], view: View, **named: Any) -> Shown:
    """A view as the API shows it."""
    shown = await inspect(site.db, actor, brief_id, Inspection(view=view, **named), WHOLE)
    return msgspec.json.decode(msgspec.json.encode(shown.record), type=kind)


def read_run(text: str) -> UUID:
    if (id := parse_uuid(text)) is None:
        raise typer.BadParameter("expected the UUID of a run")
    return id


@command_of(app, "verify")
async def verify(
    site: Site, run: Annotated[UUID, typer.Argument(parser=read_run, metavar="RUN", help="The run's UUID.")]
) -> None:
    """Checks every quote of a run against the stored text of its source; exit code 1 if one does not match."""
    async with site.db.snapshot() as tx:
        checked = await verify_run(tx, run)
    if site.as_json:
        print_json(checked)
    else:
        _print_verification(checked)
    raise typer.Exit(1 if checked.mismatches else 0)


def _print_verification(checked: Verification) -> None:
    for wrong in checked.mismatches:
        quote = f' "{" ".join(wrong.quote.split())}"' if wrong.quote else ""
        typer.echo(f"{wrong.finding_id}  {wrong.url}  {wrong.reason}{quote}")
    typer.echo(f"{checked.quotes} quotes of {checked.findings} findings, {len(checked.mismatches)} do not match.")
