"""Turns at the connections: in order, not for ever, and none is lost."""

import asyncio

import pytest

from sightline.platform.turns import FairTurns, Turns
from tests.waiting import next_turn

SECONDS = 30.0


async def _wait(turns: Turns, name: str, served: list[str]) -> None:
    await turns.wait(SECONDS)
    served.append(name)


async def test_those_that_wait_are_served_in_order() -> None:
    turns, served = Turns(1), list[str]()
    assert turns.take()
    assert not turns.take()
    waiting = [asyncio.create_task(_wait(turns, name, served)) for name in "abc"]
    await next_turn()
    for _ in waiting:
        turns.release()
    assert not turns.take()
    await asyncio.gather(*waiting)
    assert served == ["a", "b", "c"]


async def test_each_wait_ends_after_its_own_time() -> None:
    turns = Turns(1)
    turns.take()
    loop = asyncio.get_running_loop()
    started = loop.time()
    first = asyncio.create_task(turns.wait(0.2))
    await asyncio.sleep(0.1)
    second = asyncio.create_task(turns.wait(0.2))
    with pytest.raises(TimeoutError):
        await first
    assert not second.done()
    with pytest.raises(TimeoutError):
        await second
    assert loop.time() - started >= 0.29
    turns.release()
    assert turns.take()


async def test_a_wait_without_end_goes_on() -> None:
    turns = Turns(0)
    waiting = asyncio.create_task(turns.wait(None))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    turns.release()
    await waiting


@pytest.mark.parametrize("had_its_turn", [True, False])
async def test_who_gives_up_takes_no_turn_away(had_its_turn: bool) -> None:
    turns, served = Turns(1), list[str]()
    turns.take()
    impatient = asyncio.create_task(turns.wait(SECONDS))
    patient = asyncio.create_task(_wait(turns, "patient", served))
    await next_turn()
    for act in (turns.release, impatient.cancel) if had_its_turn else (impatient.cancel, turns.release):
        act()
    await patient
    assert served == ["patient"]
    with pytest.raises(asyncio.CancelledError):
        await impatient
    turns.release()
    assert turns.take()
    assert not turns.take()


async def test_another_owner_waits_for_one_of_many() -> None:
    turns, served = FairTurns(1), list[str]()

    async def work(owner: str) -> None:
        async with turns.turn(owner):
            served.append(owner)
            await next_turn()

    await asyncio.gather(*(work("one") for _ in range(5)), work("other"))
    assert served.index("other") == 1


async def test_what_nobody_owns_waits_for_all_others_only() -> None:
    turns, served = FairTurns(1), list[str]()

    async def work(name: str, *owners: str | None) -> None:
        async with turns.turn(*owners):
            served.append(name)
            await next_turn()

    await asyncio.gather(*(work("many", "person", "workspace") for _ in range(5)), work("one", None, "workspace"))
    assert served.index("one") == 1
