"""The workspace of these tests: two products with features, and everything an idea can be linked to."""

from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx2
import pytest

from sightline.workspace_file import FileRefused
from tests.world import World

Json = dict[str, Any]

APP_FEATURES: list[Json] = [
    {"key": "export", "name": "CSV export", "description": "Download any table as a CSV file."},
    {"key": "search", "name": "Search", "description": "Find records by their words."},
    {"key": "billing", "name": "Invoice archive", "description": "Keep every invoice for ten years."},
]
CATALOG: Json = {
    "products": [
        {"key": "app", "name": "Acme App", "features": APP_FEATURES},
        {"key": "desk", "name": "Acme Desk", "features": [{"key": "tickets", "name": "Ticket queue"}]},
        {"key": "bare", "name": "Acme Bare"},
    ],
    "accounts": [{"key": key, "name": key.title()} for key in ("globex", "initech", "umbrella")],
    "insights": [{"key": f"insight-{n}", "title": f"Insight {n}", "category": "problem"} for n in (1, 2, 3)],
    "opportunities": [{"key": "retention", "name": "Retention"}],
    "integrations": [
        {"key": "jira", "kind": "jira", "name": "Jira", "managesStatus": True},
        {"key": "forms", "kind": "forms", "name": "Forms", "managesStatus": False},
    ],
    "ideaStatuses": [{"label": "New"}, {"label": "Under review"}, {"label": "Promoted", "promotion": True}],
    "taxonomy": {
        "groups": [
            {
                "key": "theme",
                "label": "Theme",
                "kind": "list",
                "selectionMode": "multi",
                "options": [{"key": "speed", "label": "Speed"}, {"key": "trust", "label": "Trust"}],
            },
            {
                "key": "size",
                "label": "Size",
                "kind": "list",
                "selectionMode": "single",
                "options": [{"key": "s", "label": "Small"}, {"key": "l", "label": "Large"}],
            },
            {"key": "why_now", "label": "Why now", "kind": "text"},
        ]
    },
}
EXPORT = "Analysts want a CSV export of every table."
INVOICES = "Accounting needs the invoice archive in one place."


@dataclass
class Acme:
    """The world, the ids of its records by key, and short words for what most tests do."""

    world: World
    products: dict[str, str] = field(default_factory=dict)
    features: dict[str, str] = field(default_factory=dict)
    accounts: dict[str, str] = field(default_factory=dict)
    insights: dict[str, str] = field(default_factory=dict)
    integrations: dict[str, str] = field(default_factory=dict)

    @property
    def client(self) -> httpx2.AsyncClient:
        return self.world.client

    async def furnish(self) -> None:
        await self.world.add(**CATALOG)
        for kind in ("products", "features", "accounts", "insights", "integrations"):
            setattr(self, kind, dict(sorted((await self.world.ids(kind)).items())))

    async def post(self, body: Any = None, **fields: Any) -> httpx2.Response:
        """POST /ideas with a description, unless it says otherwise."""
        return await self.client.post("/ideas", json={"description": EXPORT, **fields} if body is None else body)

    async def create(self, **fields: Any) -> Json:
        answer = await self.post(**fields)
        assert answer.status_code == 201, answer.text
        created: Json = answer.json()
        return created

    async def read(self, idea: Json, **query: str) -> Json:
        answer = await self.client.get(f"/ideas/{idea['id']}", params=query)
        assert answer.status_code == 200, answer.text
        read: Json = answer.json()
        return read

    async def list(self, **query: Any) -> list[Json]:
        answer = await self.client.get("/ideas", params=query)
        assert answer.status_code == 200, answer.text
        listed: list[Json] = answer.json()
        return listed

    async def total(self, **query: Any) -> int:
        return int((await self.client.get("/ideas", params=query)).headers["x-total-count"])

    async def value(self, statement: str, *values: Any) -> Any:
        """One value from the database; `$1` is the workspace."""
        async with self.world.database.autocommit() as tx:
            return await tx.connection.fetchval(statement, self.world.workspace_id, *values)

    async def run(self, statement: str, *values: Any) -> None:
        async with self.world.database.transaction() as tx:
            await tx.connection.execute(statement, self.world.workspace_id, *values)

    async def validated_insights(self, idea: Json) -> set[str]:
        """The keys of the insights whose links to the idea are validated."""
        async with self.world.database.autocommit() as tx:
            rows = await tx.connection.fetch(
                "SELECT i.key FROM idea_insights l JOIN insights i ON (i.workspace_id, i.id) ="
                " (l.workspace_id, l.insight_id) WHERE l.workspace_id = $1 AND l.idea_id = $2 AND l.validated",
                self.world.workspace_id,
                UUID(idea["id"]),
            )
        return {row["key"] for row in rows}


def refused(answer: httpx2.Response, status: int, code: str, field: str | None = None) -> Json:
    """Looks whether the answer is that refusal, naming that field; its problem."""
    problem: Json = answer.json()
    assert (answer.status_code, problem["code"]) == (status, code), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    if field is not None:
        named = {problem.get("field")} | {fault["path"] for fault in problem.get("errors", ())}
        assert field in named, answer.text
    return problem


async def faults_of(applying: Awaitable[Any]) -> dict[str, str]:
    """The faults for which a file is refused, by their paths."""
    with pytest.raises(FileRefused) as refusal:
        await applying
    return {fault.path: fault.message for fault in refusal.value.faults}
