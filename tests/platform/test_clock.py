"""The clock follows the database's, whatever happens to the machine's."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from sightline.platform.clock import Clock

START = datetime(2026, 1, 1, tzinfo=UTC)


class Machine:
    """A machine, and a database whose clock is right. `now`: seconds; `back`: by how much its clock was set back."""

    def __init__(self) -> None:
        self.now = self.back = self.asleep = 0.0
        self.clock = Clock(machine=lambda: self.database() - timedelta(seconds=self.back), steady=self._steady)

    def database(self) -> datetime:
        return START + timedelta(seconds=self.now)

    def _steady(self) -> float:
        return self.now - self.asleep

    async def compare(self, answer_seconds: float, meanwhile: Callable[[], None] = lambda: None) -> None:
        async def ask() -> datetime:
            nonlocal meanwhile
            self.now += 0.0001
            found = self.database()
            meanwhile()
            meanwhile = lambda: None  # noqa: E731 - happens once
            self.now += answer_seconds
            return found

        await self.clock.compare(ask)

    def suspend(self) -> None:
        self.now += 3600
        self.asleep += 3600

    def set_back(self) -> None:
        self.back += 5

    def is_behind(self) -> bool:
        return self.clock.now() < self.database() - timedelta(milliseconds=1)


async def test_a_clock_that_is_set_back_by_less_than_an_answer_takes_is_corrected() -> None:
    machine = Machine()
    await machine.compare(0.0001)
    machine.now, machine.back = machine.now + 0.05, 0.004
    assert machine.clock.is_due()
    await machine.compare(0.005)
    for _ in range(3):
        assert not machine.is_behind()
        machine.now += 0.03


async def test_a_machine_that_sleeps_or_whose_clock_is_set_during_a_comparison_is_not_behind() -> None:
    for what in (Machine.suspend, Machine.set_back):
        machine = Machine()
        await machine.compare(0.0001)
        machine.now += 1
        await machine.compare(0.0001, partial(what, machine))
        machine.now += 0.05
        assert not machine.is_behind()


async def test_a_slow_answer_puts_the_clock_ahead_only_if_it_has_to() -> None:
    machine = Machine()
    await machine.compare(0.0001)
    machine.now += 0.2
    assert machine.clock.is_due()
    await machine.compare(0.5)
    assert not machine.is_behind()
    assert machine.clock.now() - machine.database() < timedelta(milliseconds=5)
