"""The workspace that is measured: loaded in bulk, straight into the tables of an empty database."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from typing import Any
from uuid import UUID

import asyncpg

from sightline.bench.world_feeds import Feeds, add_feeds
from sightline.platform.access import Actor
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.ids import new_id
from sightline.sample.compose import compose
from sightline.sample.compose import load as read_sample
from sightline.workspaces.keys import ALL_SCOPES, create_key
from sightline.workspaces.records import NewKey

FEATURES = 30
SOURCES = 50
TEAMS = 5
STATUSES = ("New", "Under review", "Planned", "Shipped", "Declined")
INITIATIVE_STATUSES = ("PENDING", "PLANNED", "IN_PROGRESS", "COMPLETED", "ARCHIVED")
OWNER = "owner@bench.test"
FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)
TEXTS = 20_000  # composed; more ideas than that repeat them
PORTION = 10_000
ASKED_FOR = 500
NEW_TEXTS = 100
IDEAS_TO_INITIATIVE = 100  # in the workspace; each initiative has five of them
ATTACHED = 5
FEWEST_INITIATIVES = 50
CHOSEN = 1_000


@dataclass(frozen=True, slots=True)
class World:
    """What the operations need to know to ask sensibly."""

    key: str
    size: int
    ideas: list[UUID]  # some, spread over all
    sources: list[str]
    initiatives: list[UUID]  # some, each with a PRD
    teams: list[UUID]
    product: UUID  # with 30 features
    texts: list[tuple[str, str]]  # names and descriptions for new ideas
    feeds: Feeds


async def load(url: str, size: int) -> World:
    """Fills a migrated, empty database with one workspace of so many ideas, and settles it."""
    connection = await asyncpg.connect(url)
    try:
        loading = Loading(connection, size)
        await loading.add_workspace()
        await loading.add_product()
        await loading.add_initiatives()
        await loading.add_ideas()
        await loading.add_classifications()
        feeds = await add_feeds(connection, loading.workspace, size)
        await connection.execute("VACUUM ANALYZE")
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()
    sources = [_source(place) for place in range(min(SOURCES, max(1, size // 2)))]
    rng = random.Random(size)  # noqa: S311 - any will do
    return World(
        key=await _make_key(url, loading.workspace),
        size=size,
        ideas=rng.sample(loading.ideas, min(ASKED_FOR, size)),
        sources=sources,
        initiatives=rng.sample(loading.initiatives, min(CHOSEN, len(loading.initiatives))),
        teams=loading.teams,
        product=loading.product,
        texts=loading.texts[:NEW_TEXTS],
        feeds=feeds,
    )


async def _make_key(url: str, workspace: UUID) -> str:
    database = await Database.connect(url, size=1)
    try:
        async with database.write() as tx:
            actor = Actor(workspace, "operator", "bench")
            return (await create_key(tx, actor, NewKey("bench", [ALL_SCOPES], OWNER))).key
    finally:
        await database.close()


class Loading:
    def __init__(self, connection: Any, size: int) -> None:
        self._connection = connection
        self._rng = random.Random(size)  # noqa: S311 - made-up links
        composed = min(max(size, NEW_TEXTS), TEXTS)
        self._sample = compose(read_sample(), ideas=composed, insights=0, signals=0, ratings=0)
        self.texts = [(idea["name"], idea["description"]) for idea in self._sample["ideas"]]
        self._now = Clock().now()
        self.workspace, self.product = new_id(), new_id()
        self.features = [new_id() for _ in range(FEATURES)]
        self.ideas = [new_id() for _ in range(size)]
        self.teams = [new_id() for _ in range(TEAMS)]
        self.initiatives = [new_id() for _ in range(max(FEWEST_INITIATIVES, size // IDEAS_TO_INITIATIVE))]

    async def add_workspace(self) -> None:
        """With its owner and its workflow."""
        await self._run(
            "INSERT INTO workspaces (id, slug, name, created_at, updated_at) VALUES ($1, 'bench', 'Bench', $2, $2)",
            *(self.workspace, self._now),
        )
        await self._run("INSERT INTO plans (workspace_id) VALUES ($1)", self.workspace)
        await self._run(
            "INSERT INTO members (workspace_id, id, email, name, role, created_at, updated_at)"
            " VALUES ($1, $2, $3, 'Owner', 'owner', $4, $4)",
            *(self.workspace, new_id(), OWNER, self._now),
        )
        labels = [(self.workspace, label, place, False) for place, label in enumerate(STATUSES)]
        await self._copy("idea_statuses", ("workspace_id", "label", "position", "promotion"), labels)

    async def add_product(self) -> None:
        """With the sample's features, and some of them again until there are 30."""
        known = [feature for product in self._sample["products"] for feature in product["features"]]
        await self._run(
            "INSERT INTO products (workspace_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Bench', $3, $3)",
            *(self.workspace, self.product, self._now),
        )
        columns = ("workspace_id", "product_id", "created_at", "updated_at", "id", "name", "description", "position")
        rows = [
            (self.workspace, self.product, self._now, self._now, id, text["name"], text["description"], place)
            for place, (id, text) in enumerate(zip(self.features, cycle(known), strict=False))
        ]
        await self._copy("features", columns, rows)

    async def add_initiatives(self) -> None:
        """Each of two teams, with a PRD."""
        dates, now = ("created_at", "updated_at"), (self._now, self._now)
        teams = [(self.workspace, id, f"Team {place}", *now) for place, id in enumerate(self.teams)]
        await self._copy("teams", ("workspace_id", "id", "name", *dates), teams)
        assigned = {initiative: self._rng.sample(self.teams, 2) for initiative in self.initiatives}
        links = [(self.workspace, initiative, team) for initiative, pair in assigned.items() for team in pair]
        await self._run("SET session_replication_role = replica")
        await self._copy("initiatives", INITIATIVE_COLUMNS, list(self._initiative_rows(assigned)))
        await self._copy("initiative_teams", ("workspace_id", "initiative_id", "team_id"), links)
        await self._run("RESET session_replication_role")
        documents = [(self.workspace, new_id(), one, "PRD", 1, "# By hand", *now) for one in self.initiatives]
        columns = ("workspace_id", "id", "initiative_id", "type", "version", "content", *dates)
        await self._copy("documents", columns, documents)
        await self._count("initiative", len(self.initiatives))

    async def add_ideas(self) -> None:
        """Each with none to three features; one in two came from outside."""
        linked = {idea: self._rng.sample(self.features, self._rng.randrange(4)) for idea in self.ideas}
        links = ((self.workspace, idea, feature) for idea, some in linked.items() for feature in some)
        # The links are written on both sides here: neither triggers nor foreign keys have to look at them.
        await self._run("SET session_replication_role = replica")
        rows = self._idea_rows(linked)
        while portion := list(islice(rows, PORTION)):
            await self._copy("ideas", IDEA_COLUMNS, portion)
        await self._copy("idea_features", ("workspace_id", "idea_id", "feature_id"), list(links))
        await self._run("RESET session_replication_role")
        await self._count("idea", len(self.ideas))

    async def add_classifications(self) -> None:
        """A theme for every second idea, in a taxonomy of three groups."""
        version, theme, options = new_id(), new_id(), [new_id() for _ in range(10)]
        await self._run(
            "INSERT INTO taxonomy_versions VALUES ($1, $2, 1, '[]', $3, true)", self.workspace, version, self._now
        )
        groups = [
            (theme, "theme", "list", "multi"),
            (new_id(), "size", "list", "single"),
            (new_id(), "why", "text", None),
        ]
        await self._copy(
            "taxonomy_groups",
            ("workspace_id", "id", "key", "label", "kind", "selection_mode", "position"),
            [(self.workspace, id, key, key, kind, mode, place) for place, (id, key, kind, mode) in enumerate(groups)],
        )
        await self._copy(
            "taxonomy_options",
            ("workspace_id", "id", "group_id", "key", "label", "position"),
            [(self.workspace, id, theme, f"o{place}", f"Option {place}", place) for place, id in enumerate(options)],
        )
        values = ((self.workspace, idea, theme, [self._rng.choice(options)], self._now) for idea in self.ideas[::2])
        columns = ("workspace_id", "idea_id", "group_id", "option_ids", "updated_at")
        while portion := list(islice(values, PORTION)):
            await self._copy("idea_classifications", columns, portion)

    def _idea_rows(self, linked: dict[UUID, list[UUID]]) -> Iterator[tuple[Any, ...]]:
        texts = cycle(self.texts)
        attached = {place + 1: initiative for place, initiative in enumerate(self.initiatives * ATTACHED)}
        for number, (idea, features) in enumerate(linked.items(), 1):
            created = FIRST_DAY + timedelta(minutes=7 * number)
            changed = created + timedelta(hours=self._rng.randrange(1000))
            status = STATUSES[number % len(STATUSES)]
            origin = _imported(number) if number % 2 == 0 else MADE_HERE
            yield (
                self.workspace,
                self.product,
                idea,
                number,
                *next(texts),
                status,
                created,
                changed,
                features,
                attached.get(number),
                *origin,
            )

    def _initiative_rows(self, assigned: dict[UUID, list[UUID]]) -> Iterator[tuple[Any, ...]]:
        texts = cycle(self.texts)
        for number, (initiative, teams) in enumerate(assigned.items(), 1):
            created = FIRST_DAY + timedelta(hours=11 * number)
            status = INITIATIVE_STATUSES[number % len(INITIATIVE_STATUSES)]
            yield self.workspace, self.product, initiative, number, *next(texts), status, created, created, teams

    async def _count(self, kind: str, number: int) -> None:
        """The next of its kind gets the next number."""
        await self._run("INSERT INTO public_numbers VALUES ($1, $2, $3)", self.workspace, kind, number)
        await self._run("INSERT INTO record_counts VALUES ($1, $2, 0, $3)", self.workspace, kind, number)

    async def _run(self, statement: str, *values: Any) -> None:
        await self._connection.execute(statement, *values)

    async def _copy(self, table: str, columns: tuple[str, ...], rows: list[Any]) -> None:
        await self._connection.copy_records_to_table(table, columns=columns, records=rows)


IDEA_COLUMNS = (
    *("workspace_id", "product_id", "id", "number", "name", "description", "status"),
    *(
        "created_at",
        "updated_at",
        "feature_ids",
        "initiative_id",
        "source_key",
        "external_id",
        "created_source",
        "provenance",
    ),
)
INITIATIVE_COLUMNS = (
    *("workspace_id", "product_id", "id", "number", "name", "description", "status"),
    *("created_at", "updated_at", "team_ids"),
)
MADE_HERE = (None, None, "app", '{"method": "manual"}')


def _imported(number: int) -> tuple[str, str, str, str]:
    return _source(number // 2 % SOURCES), f"item-{number}", "external_api", '{"method": "external_api"}'


def _source(place: int) -> str:
    return f"source-{place}"
