"""The run: every operation in rounds of ours, constant, statements, so that the machine's moods meet all three."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sightline.bench.failure import BenchFailed
from sightline.bench.figures import Case, Series, headroom
from sightline.bench.machine import describe, resident_megabytes
from sightline.bench.operations import OPERATIONS, Operation
from sightline.bench.regenerations import REGENERATIONS, Regenerations, measure_regenerations
from sightline.bench.stage import Served, Stage
from sightline.bench.world import World

APPLICATION = "sightline.app:create_app"
WARM_UP = 0.5  # of a round
SHORTEST = 0.1
CLIENT_CONNECTIONS = 32

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured; a round lasts at most `longest` seconds, and less when `seconds` in all would not do.

    Documents are regenerated `documents` at once, in `turns`.
    """

    size: int = 100_000
    rounds: int = 5
    seconds: float = 330
    longest: float = 2.0
    connections: tuple[int, ...] = (1, 32)
    processes: int = 1
    operations: Sequence[Operation] = OPERATIONS
    regenerations: Sequence[Regenerations] = REGENERATIONS
    documents: int = 1_000
    turns: int = 3
    factory: str = APPLICATION


FULL = Plan()
QUICK = Plan(size=60_000, rounds=3, seconds=40, longest=0.5, documents=600, turns=1)
SIZES = (10_000, 1_000_000)  # between which a first page has to cost the same


def plan_of(quick: bool, only: Sequence[str] | None = None, size: int | None = None) -> Plan:
    """Refuses with BenchFailed when `only` names what is not measured."""
    plan = QUICK if quick else FULL
    known = [*(one.name for one in OPERATIONS), *(one.name for one in REGENERATIONS)]
    if unknown := set(only or ()) - set(known):
        raise BenchFailed(f"Not measured: {', '.join(sorted(unknown))}. Known are {', '.join(known)}.")
    operations = [one for one in OPERATIONS if (one.name in only if only else one.is_quick or not quick)]
    regenerations = [one for one in REGENERATIONS if not only or one.name in only]
    return replace(plan, operations=operations, regenerations=regenerations, size=size or plan.size)


def measure_sizes(plan: Plan, sizes: Sequence[int], tell: Tell) -> dict[str, Any]:
    """One report over several sizes, one run for each; what is told of the server is of the last and largest."""
    reports = [measure(replace(plan, size=size, rounds=3, seconds=900, longest=1.0), tell) for size in sizes]
    rows = [row for report in reports for row in report["rows"]]
    return {**reports[-1], "rows": rows, "seconds": round(sum(report["seconds"] for report in reports), 1)}


@dataclass(slots=True)
class Pace:
    """Shares the time that is left among the cases that are left."""

    plan: Plan
    started: float = field(default_factory=time.monotonic)
    cases_done: int = 0

    def round_seconds(self) -> float:
        cases = len(self.plan.operations) * len(self.plan.connections) - self.cases_done
        left = self.started + self.plan.seconds - time.monotonic()
        return min(self.plan.longest, max(SHORTEST, left / (cases * 3 * (self.plan.rounds + WARM_UP))))


def measure(plan: Plan, tell: Tell) -> dict[str, Any]:
    """The report. Refuses with BenchFailed when anything is answered but a 2xx."""
    pace = Pace(plan)
    with (
        TemporaryDirectory(prefix="sightline-bench-") as folder,
        Stage(Path(folder), plan.factory, plan.processes) as stage,
    ):
        tell(f"loading {plan.size:,} ideas")
        world = stage.load(plan.size)
        stage.start_client()
        begun = time.monotonic()
        ours = stage.serve_ours()
        start_seconds = time.monotonic() - begun
        memory_before = resident_megabytes(ours.children[0].pid)
        # They come first: nothing else has left work for the workers then.
        written = [_regenerate(one, plan, stage, ours, world, tell) for one in plan.regenerations]
        cases: list[Case] = []
        for operation in plan.operations:
            cases += _Run(plan, pace, stage, ours, world, operation, tell).cases()
        client = _measure_client(stage, world, plan, cases) if cases else None
        return {
            "machine": describe(),
            "rows": [case.row(plan.size, plan.processes) for case in cases] + written,
            "client": client,
            "server": {
                "startSeconds": round(start_seconds, 2),
                "residentMegabytesAtStart": memory_before,
                "residentMegabytes": resident_megabytes(ours.children[0].pid),
            },
            "aims": {
                operation.name: {"first": operation.first_aim, "then": operation.aim} for operation in plan.operations
            },
            "rounds": plan.rounds,
            "seconds": round(time.monotonic() - pace.started, 1),
        }


@dataclass(slots=True)
class _Run:
    plan: Plan
    pace: Pace
    stage: Stage
    ours: Served
    world: World
    operation: Operation
    tell: Tell

    def cases(self) -> list[Case]:
        """One operation with each number of connections."""
        requests = self.operation.requests(self.world)
        sent = [request.to_bytes(self.world.key).decode("latin-1") for request in requests]
        learnt = self.stage.learn(requests, self.world.key)
        answer = learnt.pop("answer")
        learnt["bytes"] = len(answer["body"])
        constant = self.stage.serve_constantly(answer)
        try:
            return [self._case(connections, sent, constant, learnt) for connections in self.plan.connections]
        finally:
            constant.stop()

    def _case(self, connections: int, sent: list[str], constant: Served, learnt: dict[str, Any]) -> Case:
        seconds = self.pace.round_seconds()
        self._round(Case("", 0), connections, sent, constant, seconds * WARM_UP)
        case = Case(self.operation.name, connections, learnt=learnt)
        for _ in range(self.plan.rounds):
            self._round(case, connections, sent, constant, seconds)
        self.pace.cases_done += 1
        row = case.row(self.plan.size, self.plan.processes)
        self.tell(f"{case.name}, {connections} connections: {row['requestsPerSecond']:,.0f}/s, ratio {row['ratio']}")
        return case

    def _round(self, case: Case, connections: int, sent: list[str], constant: Served, seconds: float) -> None:
        self.stage.ask(self.ours, sent, connections, seconds, case.ours)
        self.stage.ask(constant, sent, connections, seconds, case.constant)
        self.stage.replay(connections, seconds, case.statements)


def _regenerate(one: Regenerations, plan: Plan, stage: Stage, ours: Served, world: World, tell: Tell) -> dict[str, Any]:
    row = measure_regenerations(one, stage, ours, world, documents=plan.documents, turns=plan.turns)
    tell(f"{one.name}: {row['requestsPerSecond']:,.0f}/s, {row['documents']} at once")
    return row


def _measure_client(stage: Stage, world: World, plan: Plan, cases: list[Case]) -> dict[str, Any]:
    """How fast the client is when the server does next to nothing."""
    requests = [request.to_bytes(world.key).decode("latin-1") for request in plan.operations[0].requests(world)]
    body = "x" * cases[0].learnt["bytes"]
    trivial = stage.serve_trivially({"status": 200, "headers": [["content-type", "application/json"]], "body": body})
    series = Series()
    for _ in range(3):
        stage.ask(trivial, requests, CLIENT_CONNECTIONS, min(0.5, plan.longest), series)
    return headroom(series, cases)
