"""The workspace that is measured, and what the requests use of it."""

import random
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from uuid import UUID

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.ideas.matching import selection
from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.engine import DraftedQuestion
from sightline.platform.access import Actor
from sightline.platform.db import Database, Position, Tx, sql
from sightline.platform.ids import new_id
from sightline.platform.server_secret import ServerSecret
from sightline.portal.portals.configure import SignIn, configure
from sightline.portal.sessions.queries import add_session
from sightline.sample.workspace import load as read_sample
from sightline.signals.queries import NEWEST
from sightline.studies.queries import SUBMITTED
from sightline.web.forms import form_token
from sightline.workspaces.keys.lifecycle import ALL_SCOPES, create_key
from sightline.workspaces.keys.records import NewKey

SECRET = "benchmark-" + "0" * 54
TEXTS = 2_000  # more ideas than that repeat them
NEW_TEXTS = 50
LATEST_IDEAS = "ideas.newest"  # the order of the list of ideas, as cursors name it
IDEAS = 500  # that are asked for
INITIATIVES = 1_000  # likewise
STATEMENTS = (Path(__file__).parent / "world.sql").read_text().split(";\n")


def new_ids(number: int) -> list[UUID]:
    return [new_id() for _ in range(number)]


@dataclass(frozen=True, slots=True)
class NewText:
    """A new idea, with the questions that the engine drafts for it, and its match with the features."""

    name: str
    description: str
    drafted: list[DraftedQuestion] = field(default_factory=list)
    matched: dict[str, Any] = field(default_factory=dict)  # columns
    feature_ids: list[UUID] = field(default_factory=list)


@dataclass
class World:
    """`size` is the number of ideas, of signals and of ratings. The fields are values for the statements too.

    Once loaded, `idea_ids` and `initiative_ids` are some of all.
    """

    size: int
    owner: str = "owner@bench.test"
    statuses: tuple[str, ...] = ("New", "Under review", "Planned", "Shipped", "Declined")
    workspace_id: UUID = field(default_factory=new_id)
    product_id: UUID = field(default_factory=new_id)
    visitor_id: UUID = field(default_factory=new_id)
    theme_id: UUID = field(default_factory=new_id)
    option_ids: list[UUID] = field(default_factory=lambda: new_ids(10))
    study_ids: list[UUID] = field(default_factory=lambda: new_ids(20))
    team_ids: list[UUID] = field(default_factory=lambda: new_ids(5))
    account_ids: list[UUID] = field(default_factory=lambda: new_ids(100))
    feature_ids: list[UUID] = field(default_factory=lambda: new_ids(30))
    sources: list[str] = field(default_factory=lambda: [f"source-{place}" for place in range(50)])
    initiative_ids: list[UUID] = field(default_factory=list)
    idea_ids: list[UUID] = field(default_factory=list)
    texts: list[NewText] = field(default_factory=list)
    key: str = ""
    cookie: str = ""  # of the portal's visitor
    form_token: str = ""  # likewise
    late_idea: Position = field(init=False)
    late_signal: Position = field(init=False)
    late_rating: Position = field(init=False)

    @property
    def actor(self) -> Actor:
        return Actor(self.workspace_id, "operator", "bench")

    @property
    def late(self) -> int:
        """How many rows of a feed lie before its last tenth."""
        return self.size * 9 // 10


async def load(url: str, size: int) -> World:
    """Fills a migrated, empty database, then vacuums and analyses it."""
    world = World(size, initiative_ids=new_ids(max(50, size // 100)))
    texts, features = sample_texts(), sample_features()
    db = await Database.connect(url, size=1)
    try:
        async with db.transaction() as tx:
            await _fill(tx, world, texts, features)
            world.key = (await create_key(tx, world.actor, NewKey("bench", [ALL_SCOPES], world.owner))).key
            remote = SignIn("https://product.test/enter", "https://product.test/left")
            await configure(tx, world.actor, remote, ServerSecret(SECRET))
            session = await add_session(tx, world.workspace_id, world.visitor_id)
            world.cookie, world.form_token = f"sl_bench_session={session}", form_token(ServerSecret(SECRET), session)
        async with db.autocommit() as tx:
            await tx.connection.execute("VACUUM ANALYZE")
            await tx.connection.execute("CHECKPOINT")
            await _choose(tx, world)
        await _match(db, world, texts[:NEW_TEXTS])
    finally:
        await db.close()
    return world


def sample_texts() -> list[tuple[str, str]]:
    """Returns names and descriptions that differ: each idea of the sample, with what each insight says."""
    sample = read_sample()
    said = [(idea, insight) for insight in sample["insights"] for idea in sample["ideas"]][:TEXTS]
    return [
        (f"{idea['name']} ({place})", f"{idea['description']} {insight['title']}.")
        for place, (idea, insight) in enumerate(said)
    ]


def sample_features() -> list[dict[str, Any]]:
    return [feature for product in read_sample()["products"] for feature in product["features"]]


async def _fill(tx: Tx, world: World, texts: list[tuple[str, str]], features: list[dict[str, Any]]) -> None:
    features = list(islice(cycle(features), len(world.feature_ids)))
    values = vars(world) | {
        "now": tx.now,
        "feature_names": [feature["name"] for feature in features],
        "feature_descriptions": [feature["description"] for feature in features],
        "names": [name for name, _ in texts],
        "descriptions": [description for _, description in texts],
    }
    await tx.connection.execute("SET LOCAL session_replication_role = replica")
    for statement in map(sql, STATEMENTS):
        if statement.names:
            await tx.run(statement, **{name: values[name] for name in statement.names})
    await tx.connection.execute("SET LOCAL session_replication_role = DEFAULT")


_IDEAS = sql("SELECT id FROM ideas WHERE workspace_id = :workspace_id AND number = ANY(:numbers::bigint[])")
_CREATED = "SELECT created_at FROM {table} WHERE workspace_id = :workspace_id AND number = :number"
_RATING = sql("""
SELECT submitted_at, id FROM study_feedback
 WHERE workspace_id = :workspace_id ORDER BY submitted_at, id OFFSET :late LIMIT 1""")


async def _choose(tx: Tx, world: World) -> None:
    """Chooses the records that are asked for, spread over all, and where the last tenth of each feed begins."""
    rng = random.Random(world.size)  # noqa: S311 - any will do
    numbers = rng.sample(range(1, world.size + 1), min(IDEAS, world.size))
    world.idea_ids = [row["id"] for row in await tx.rows(_IDEAS, workspace_id=world.workspace_id, numbers=numbers)]
    world.initiative_ids = rng.sample(world.initiative_ids, min(INITIATIVES, len(world.initiative_ids)))
    number = world.size - world.late + 1
    late = {"workspace_id": world.workspace_id, "number": number}
    world.late_idea = Position(LATEST_IDEAS, await tx.value(sql(_CREATED, table="ideas"), **late), number)
    world.late_signal = Position(NEWEST.name, await tx.value(sql(_CREATED, table="signals"), **late), number)
    rating = await tx.row(_RATING, workspace_id=world.workspace_id, late=world.late)
    assert rating is not None  # noqa: S101 - there are more
    world.late_rating = Position(SUBMITTED.name, rating["submitted_at"], rating["id"])


async def _match(db: Database, world: World, texts: list[tuple[str, str]]) -> None:
    engine = embedded_engine()
    features = await FeatureMaps(engine).find(db, world.workspace_id, world.product_id)
    assert features is not None  # noqa: S101 - the product is there
    for name, description in texts:
        found = await selection.match(engine, db.clock, features, description)
        drafted = engine.ask_questions(description)
        world.texts.append(NewText(name, description, drafted, found.columns, found.feature_ids))
