"""A workspace that does research: plans, commands, and jobs that are run where the test says."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2

from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.research import jobs
from sightline.research.runs.search import SearchTools
from sightline.signals.processing import jobs as signals
from sightline.sources.app_store.store import AppStore
from sightline.sources.pages import Page, Published
from sightline.sources.search import SearchFailed
from tests.sources.shelf import Shelf
from tests.world import NO_STORE, World

Json = dict[str, Any]

FORECASTS = "11111111-1111-4111-8111-111111111111"
EXPORTS = "22222222-2222-4222-8222-222222222222"
MISSING = "99999999-9999-4999-8999-999999999999"


def section(id: str = FORECASTS, **changes: Any) -> Json:
    """A market section about forecasts of demand."""
    return {
        "id": id,
        "name": "Forecasts",
        "type": "market",
        "topic": "demand forecast",
        "objective": "How planners forecast demand.",
        "questions": ["How do planners forecast demand?"],
    } | changes


def exports(**changes: Any) -> Json:
    """A custom section about exports of reports."""
    words = {"name": "Exports", "type": "custom", "topic": "report export"}
    return section(EXPORTS, **words, objective="Exports of reports.", questions=["Who exports a report?"], **changes)


def definition(*sections: Json, **changes: Any) -> Json:
    return {"sections": list(sections or (section(),)), **changes}


def page(name: str, text: str, days: int | None = 5) -> Page:
    """A page that was published so many days ago."""
    now = datetime.now(UTC)
    published = None if days is None else Published(now - timedelta(days=days), "structured", "meta")
    url = f"https://{name}.example/{name}"
    return Page(url=url, title=text.split(".")[0], text=text, retrieved_at=now, published=published, language="en")


PAGES = (
    page("crops", "Planners forecast demand from last year. A demand forecast is wrong by a fifth, planners say."),
    page("fields", "Most planners forecast demand by hand. The demand forecast takes a week of work."),
    page("ships", "Every report export is done by finance. Finance wants a report export once a month."),
)


@dataclass
class Lab:
    """A world with a product, and a shelf of pages that is searched."""

    world: World
    shelf: Shelf = field(default_factory=lambda: Shelf(PAGES))
    store: AppStore = field(default_factory=lambda: AppStore(NO_STORE, pause=0.0))
    model: dict[type, Any] = field(default_factory=dict)

    @property
    def client(self) -> httpx2.AsyncClient:
        return self.world.client

    @property
    def workspace_id(self) -> UUID:
        return self.world.workspace_id

    async def ask(self, operation: str, command: Json, client: httpx2.AsyncClient | None = None) -> httpx2.Response:
        return await (client or self.client).post(f"/research/{operation}", json={"command": command})

    async def run(self, action: str, **fields: Any) -> httpx2.Response:
        return await self.ask("run", {"action": action, **fields})

    async def update(self, action: str, **fields: Any) -> httpx2.Response:
        return await self.ask("updates", {"action": action, **fields})

    async def start(self, *sections: Json, **changes: Any) -> Json:
        """Starts a new brief; the response."""
        answer = await self.run("start", **self.new(*sections, **changes))
        assert answer.status_code == 200, answer.text
        started: Json = answer.json()
        return started

    def new(self, *sections: Json, **changes: Any) -> Json:
        """The fields of a start."""
        return {"requestId": str(uuid4()), "name": "Forecasts", "definition": definition(*sections, **changes)}

    async def searched(self, *sections: Json, **changes: Any) -> Json:
        """The receipt of a run that was started and searched."""
        started = await self.start(*sections, **changes)
        await self.search(started["run"])
        return await self.progress(started["briefId"])

    async def added(self, *sections: Json) -> Json:
        """The receipt of a run whose sources were added to the product."""
        run = await self.searched(*sections)
        answer = await self.add(run)
        assert answer.status_code == 200, answer.text
        await self.deliver(run)
        return await self.progress(run["briefId"])

    async def add(self, run: Json, product: str = "app") -> httpx2.Response:
        return await self.run("add", **of(run), productId=(await self.products())[product])

    async def products(self) -> dict[str, str]:
        return await self.world.ids("products")

    async def view(self, brief_id: str, view: str = "brief", **query: Any) -> Json:
        answer = await self.client.get(f"/research/{brief_id}", params={"view": view, **query})
        assert answer.status_code == 200, answer.text
        shown: Json = answer.json()
        return shown

    async def progress(self, brief_id: str) -> Json:
        run: Json = (await self.view(brief_id, "progress"))["run"]
        return run

    async def brief(self, brief_id: str) -> Json:
        brief: Json = (await self.view(brief_id))["brief"]
        return brief

    async def findings(self, run: Json, section_id: str = FORECASTS) -> Json:
        return await self.view(run["briefId"], "findings", runId=run["id"], sectionId=section_id)

    @property
    def tools(self) -> dict[type, Any]:
        return {
            EmbeddedEngine: embedded_engine(),
            SearchTools: SearchTools(EmbeddedResearcher(), self.shelf, self.shelf),
            AppStore: self.store,
            **self.model,
        }

    async def search(self, run: Json, db: Database | None = None) -> None:
        """Does what a worker does with the job of a run."""
        await jobs.search_run(db or self.world.database, self.tools, self.workspace_id, UUID(run["id"]))

    async def deliver(self, run: Json) -> None:
        """Does what a worker does with the job of an addition."""
        await jobs.add_sources(self.world.database, self.tools, self.workspace_id, UUID(run["id"]))

    async def process(self, signal_id: str) -> None:
        await signals.process_signal(self.world.database, self.tools, self.workspace_id, UUID(signal_id))

    async def tick(self, at: datetime | None = None) -> None:
        """The tick of a worker whose clock is there."""
        await jobs.start_due(self.at(at), self.tools)

    def at(self, moment: datetime | None) -> Database:
        """The database as a process sees it whose clock is moved."""
        db = self.world.database
        offset = timedelta(0) if moment is None else moment - Clock().now()
        return Database(db.pool, Clock(offset))

    async def fail_all(self) -> None:
        """From now on every search fails."""
        self.shelf.failures = [SearchFailed("The shelf is locked.", temporary=False)] * 1_000

    async def credits(self) -> int:
        """Used and reserved."""
        used: int = (await self.client.get("/auth/context")).json()["plan"]["aiCredits"]["used"]
        return used

    async def sql(self, statement: str, *values: Any) -> Any:
        """One value, of this workspace, which is $1."""
        async with self.world.database.autocommit() as tx:
            return await tx.connection.fetchval(statement, self.workspace_id, *values)


def of(run: Json) -> Json:
    """How a command names a run."""
    return {"briefId": run["briefId"], "runId": run["id"]}


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"] if answer.status_code >= 400 else ""


def faults(answer: httpx2.Response) -> list[str]:
    """The paths of a 400, without the command's own."""
    assert code(answer) == (400, "VALIDATION_FAILED"), answer.text
    return [fault["path"].removeprefix("command.").removeprefix("definition.") for fault in answer.json()["errors"]]
