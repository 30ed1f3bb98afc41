"""A workspace with one of everything, and the addresses of every operation in it."""

import re
from dataclasses import dataclass, field
from typing import Any, get_origin
from uuid import UUID, uuid4

import httpx2
import pytest

from sightline.app import operations
from sightline.platform.http.operations import Operation
from sightline.platform.wire import Page
from tests.world import World

OPERATIONS = operations()
READS = [operation for operation in OPERATIONS if operation.is_read]
WRITES = [operation for operation in OPERATIONS if not operation.is_read]
WITH_REFERENCE = [operation for operation in OPERATIONS if operation.path_types]
WITH_BODY = [operation for operation in OPERATIONS if operation.body_type]
LISTS = [operation for operation in READS if get_origin(operation.answer_type) is Page]

# The path segment before a parameter, and the table that holds the record it names.
TABLES = {
    "ideas": "ideas",
    "questions": "idea_questions",
    "evidence": "idea_evidence",
    "comments": "idea_comments",
    "initiatives": "initiatives",
    "documents": "documents",
    "regenerations": "document_generations",
    "signals": "signals",
    "studies": "studies",
    "products": "products",
    "accounts": "accounts",
    "insights": "insights",
    "opportunities": "opportunities",
    "research": "research_briefs",
}
_PARAMETER = re.compile(r"/([^/]+)/\{(\w+)\}")

TEAM = "0d4f5c7e-6d0f-4a3e-8c71-2f6f8c3b9d21"
# What the examples of operations name: the team, `theme`, INITIATIVE-1, the research, the labels of a new workspace.
FILE: dict[str, Any] = {
    "products": [{"key": "app", "name": "App", "features": [{"key": "export", "name": "CSV export"}]}],
    "teams": [{"key": "core", "id": TEAM, "name": "Core", "members": ["owner"]}],
    "accounts": [{"key": "globex", "name": "Globex"}],
    "opportunities": [{"key": "retention", "name": "Retention"}],
    "taxonomy": {
        "groups": [
            {
                "key": "theme",
                "label": "Theme",
                "kind": "list",
                "selectionMode": "multi",
                "options": [{"key": "speed", "label": "Speed"}],
            }
        ]
    },
    "signals": [
        {
            "key": "call",
            "name": "A call",
            "context": "discovery",
            "processorType": "conversation",
            "providerType": "zoom",
            "evidenceKind": "conversation",
            "analysisProfile": "customer_evidence",
            "status": "processed",
            "sourceLabel": "Zoom",
            "source": {"type": "zoom", "external_data": {}},
        }
    ],
    "insights": [{"key": "slow", "title": "Exports are slow", "category": "problem", "signals": ["call"]}],
    "initiatives": [
        {
            "key": "reporting",
            "name": "Reporting",
            "status": "PLANNED",
            "number": 1,
            "teams": ["core"],
            "documents": [{"key": "prd", "type": "PRD", "content": "# Reporting"}],
        }
    ],
    "research": [
        {
            "key": "exports",
            "id": "3f1b7a52-9d0e-4c41-8a6f-2b7c5d9e1f04",
            "name": "Exports",
            "state": "active",
            "definition": {
                "sections": [
                    {
                        "id": "8d3c5e11-7a41-4f0e-9b26-0c1d2e3f4a5b",
                        "name": "Exports",
                        "type": "market",
                        "topic": "report export",
                        "objective": "Exports of reports.",
                        "questions": ["Who exports reports?"],
                    }
                ]
            },
        }
    ],
    "studies": [
        {"key": "interviews", "name": "Interviews", "status": "completed", "type": "interview", "phase": "discovery"}
    ],
    "feedback": [
        {
            "key": "useful",
            "study": "interviews",
            "rating": 8,
            "metric": "usefulness",
            "subject": {"type": "product", "id": "app"},
            "submittedAt": "2026-03-01T09:00:00.000Z",
        }
    ],
}


# A regenerated document: workspace files do not have receipts.
WRITTEN = """
INSERT INTO document_generations (workspace_id, id, initiative_id, document_id, type, is_first, status, run_after,
                                  created_at, updated_at)
SELECT workspace_id, gen_random_uuid(), initiative_id, id, type, false, 'completed', now(), now(), now()
  FROM documents WHERE workspace_id = $1"""

BELOW = 3  # records below each idea
EVIDENCE = {"title": "Said so", "category": "quote", "signal": "call", "role": "supports"}


def idea(n: int) -> dict[str, Any]:
    """An idea with some of everything below it."""
    return {
        "key": f"idea-{n}",
        "name": f"Idea {n}",
        "description": f"Idea number {n} wants a CSV export.",
        "product": "app",
        "insights": [{"insight": "slow", "validated": True}],
        "accounts": ["globex"],
        "classifications": [{"groupKey": "theme", "optionValues": ["speed"], "origin": "manual"}],
        "questions": [{"key": f"q{m}", "question": "How often?", "status": "pending"} for m in range(BELOW)],
        "comments": [
            {"key": f"c{m}", "author": "owner", "body": "Yes.", "visibility": "internal"} for m in range(BELOW)
        ],
        "evidence": [{**EVIDENCE, "key": f"e{m}"} for m in range(BELOW)],
    }


@dataclass
class Made:
    """The world, and for each path parameter the id of a record that is there."""

    world: World
    ids: dict[str, UUID] = field(default_factory=dict)

    async def furnish(self, ideas: int = 1) -> None:
        await self.world.add(**FILE, ideas=[idea(n) for n in range(ideas)])
        async with self.world.database.autocommit() as tx:
            await tx.connection.execute(WRITTEN, self.world.workspace_id)
            for segment, table in TABLES.items():
                statement = f"SELECT id FROM {table} WHERE workspace_id = $1"  # noqa: S608
                of_idea = [self.ids["ideas"]] if table.startswith("idea_") else []
                statement += " AND idea_id = $2" if of_idea else ""
                order = "id" if table == "document_generations" else "key"
                found = await tx.connection.fetchval(
                    f"{statement} ORDER BY {order} LIMIT 1", self.world.workspace_id, *of_idea
                )
                if found is not None:
                    self.ids[segment] = found

    def path(self, operation: Operation) -> str:
        """The operation's address, leading to records that are there."""
        path = operation.path
        for segment, parameter in _PARAMETER.findall(path):
            if segment not in self.ids:
                pytest.fail(f"Add a record for {operation.path} to FILE and its table to TABLES in {__file__}.")
            path = path.replace(f"{{{parameter}}}", str(self.ids[segment]))
        return path

    async def ask(self, operation: Operation, client: httpx2.AsyncClient, path: str | None = None) -> httpx2.Response:
        """The operation's own example, at existing records by default."""
        return await client.request(operation.method, path or self.path(operation), json=operation.example)


def nowhere(operation: Operation) -> str:
    """The operation's address, leading to records that are nowhere."""
    return re.sub(r"\{\w+\}", lambda _: str(uuid4()), operation.path)


def each(table: list[Operation]) -> pytest.MarkDecorator:
    """Parametrizes a test with operations."""
    return pytest.mark.parametrize("operation", table, ids=lambda operation: operation.name)


def code_of(answer: httpx2.Response) -> tuple[int, str | None]:
    """Status, and the problem's code where there is one."""
    is_problem = answer.headers.get("content-type") == "application/problem+json"
    return answer.status_code, answer.json()["code"] if is_problem else None
