"""Uses the generated Python package. Checked strictly: a wrong type that is no error fails too, as an unused ignore."""

import asyncio
import os
from uuid import uuid4

from sightline_client import AuthenticatedClient, models
from sightline_client.api.ideas import create_idea, get_idea, set_idea_status
from sightline_client.api.research import inspect_research, run_research
from sightline_client.api.signals import create_signal, get_signal, list_signals


async def list_with_filters(client: AuthenticatedClient) -> None:
    status = [models.SignalStatus.PROCESSED, models.SignalStatus.FAILED]
    answer = await list_signals.asyncio_detailed(client=client, status=status, limit=5)
    assert isinstance(answer.parsed, list)
    assert [signal.status for signal in answer.parsed] == [models.SignalStatus.PROCESSED]
    assert answer.headers["X-Limit"] == "5"


async def create(client: AuthenticatedClient) -> str:
    created = await create_idea.asyncio(client=client, body=models.NewIdea(description="Export every table."))
    assert isinstance(created, models.Idea)
    assert await get_idea.asyncio(created.public_id, client=client) == created
    return created.public_id


async def keep_free_keys(client: AuthenticatedClient) -> None:
    sent = {"ticket": {"id": 7, "tags": ["csv"]}, "any key": None}
    raw_data = models.NewSignalRawDataType0.from_dict(sent)
    new_signal = models.NewSignal(text="The export is slow.", raw_data=raw_data)
    created = await create_signal.asyncio(client=client, body=new_signal)
    assert isinstance(created, models.CreatedSignal)
    assert created.job_id is not None
    read = await get_signal.asyncio(created.public_id, client=client, include=[models.GetSignalIncludeItem.RAW])
    assert isinstance(read, models.Signal)
    assert isinstance(read.raw_data, models.SignalRawData)
    assert read.raw_data["ticket"] == sent["ticket"]


async def read_views(client: AuthenticatedClient) -> None:
    section = models.NewPlanSection(
        id=uuid4(),
        name="Exports",
        type_=models.SectionType.MARKET,
        topic="report export",
        objective="Who exports what?",
        questions=["Who exports reports?"],
    )
    command = models.StartCommand(
        action=models.StartCommandAction.START,
        request_id=uuid4(),
        name="Exports",
        definition=models.NewPlanDefinition(sections=[section]),
    )
    started = await run_research.asyncio(client=client, body=models.ResearchRun(command=command))
    assert isinstance(started, models.StartedRun)
    brief = await inspect_research.asyncio(started.brief_id, client=client)
    assert isinstance(brief, models.BriefView)
    assert brief.brief.id == started.brief_id
    view = models.ResearchViewName.RUN
    run = await inspect_research.asyncio(started.brief_id, client=client, view=view, run_id=started.run.id)
    assert isinstance(run, models.RunView)
    assert run.run.id == started.run.id
    runs = await inspect_research.asyncio(started.brief_id, client=client, view=models.ResearchViewName.RUNS)
    assert isinstance(runs, models.RunsView)
    assert [each.id for each in runs.items] == [started.run.id]


async def read_problems(client: AuthenticatedClient, ref: str) -> None:
    blank = await create_idea.asyncio(client=client, body=models.NewIdea(description=" ", name=""))
    assert isinstance(blank, models.ValidationFailedProblem)
    assert isinstance(blank.errors, list)
    assert [fault.path for fault in blank.errors] == ["description", "name"]
    change = models.StatusChange(status="Approved", expected_current_status="Planned")
    moved = await set_idea_status.asyncio(ref, client=client, body=change)
    assert isinstance(moved, models.StatusChangedProblem)
    assert (moved.status, moved.current_status) == (409, "New")


async def send_wrong_types(client: AuthenticatedClient) -> None:
    models.NewIdea(name="Export")  # type: ignore[call-arg]  # the description is missing
    models.NewIdea(description=7)  # type: ignore[arg-type]  # it is a text
    await list_signals.asyncio(client=client, status=["done"])  # type: ignore[list-item]  # no such status


async def main() -> None:
    async with AuthenticatedClient(base_url=os.environ["ADDRESS"], token=os.environ["KEY"]) as client:
        await list_with_filters(client)
        await keep_free_keys(client)
        await read_views(client)
        await read_problems(client, await create(client))


asyncio.run(main())
