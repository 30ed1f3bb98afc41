"""A signal that cannot be processed says so, keeps what is inside to itself, and can be tried again."""

from uuid import UUID

import pytest

from sightline.intelligence.evidence import DraftInsight, SignalMaterial
from sightline.platform.jobs import JobStopped
from sightline.signals.processing.jobs import give_up, revive
from tests.signals.conftest import Json
from tests.signals.test_creating import create
from tests.signals.test_processing import TEXT, process
from tests.world import World


class BrokenEngine:
    """Fails each time."""

    name, version = "broken", "1"

    def extract_insights(self, material: SignalMaterial) -> list[DraftInsight]:
        raise ValueError("A secret of the inside.")


async def fail(world: World, signal: Json) -> None:
    """What becomes of a signal whose last attempt has failed."""
    with pytest.raises(ValueError, match="inside") as failure:
        await process(world, signal, BrokenEngine())
    await give_up(world.database, world.workspace_id, UUID(signal["id"]), failure.value)


async def test_a_failure_is_reported_and_can_be_retried(world: World) -> None:
    signal = await create(world, text=TEXT)
    id = UUID(signal["id"])
    await fail(world, signal)
    failed = (await world.client.get(f"/signals/{signal['id']}")).json()
    assert failed["status"] == "failed"
    assert "secret" not in str(failed)
    await revive(world.database, world.workspace_id, id)
    assert (await process(world, signal))["status"] == "processed"
    await give_up(world.database, world.workspace_id, id, JobStopped())
    assert (await world.client.get(f"/signals/{signal['id']}")).json()["status"] == "processed"


async def test_a_failed_signal_can_be_processed_again(world: World) -> None:
    signal = await create(world, text=TEXT)
    await fail(world, signal)
    assert (await world.client.post(f"/signals/{signal['publicId']}/process")).status_code == 202
    assert (await process(world, signal))["status"] == "processed"


async def test_a_request_during_the_last_attempt_does_not_fail_with_it(world: World) -> None:
    signal = await create(world, text=TEXT)
    with pytest.raises(ValueError, match="inside") as failure:
        await process(world, signal, BrokenEngine())
    await world.client.patch(f"/signals/{signal['id']}", json={"text": "Search is broken."})
    await give_up(world.database, world.workspace_id, UUID(signal["id"]), failure.value)
    assert (await world.client.get(f"/signals/{signal['id']}")).json()["status"] == "pending"
    assert (await process(world, signal))["status"] == "processed"


async def test_a_waiting_signal_whose_job_is_stopped_fails(world: World) -> None:
    signal = await create(world, text=TEXT)
    await give_up(world.database, world.workspace_id, UUID(signal["id"]), JobStopped())
    assert (await world.client.get(f"/signals/{signal['id']}")).json()["status"] == "failed"
