"""Workspace files for tests: a small one with everything in it, and what is done with files."""

from copy import deepcopy
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import yaml

from sightline.platform.db import Database
from sightline.platform.db.tables import tables_of_workspaces
from sightline.workspace_file import Applied, FileRefused, apply_file, export_workspace

_numbers = count(1)
THEN = "2026-03-01T09:00:00.000Z"
LATER = "2026-04-01T10:30:00.500Z"
STAMPS = {"createdAt": THEN, "updatedAt": LATER}

_LISTS = yaml.load(Path(__file__).with_name("whole.yaml").read_text("utf-8"), yaml.CSafeLoader)


def new_slug() -> str:
    return f"acme-{next(_numbers)}"


def small(slug: str | None = None, **lists: Any) -> dict[str, Any]:
    """A workspace with these lists."""
    return {"workspace": {"slug": slug or new_slug(), "name": "Acme"}, **deepcopy(lists)}


def whole(slug: str | None = None) -> dict[str, Any]:
    """A workspace in which every field of every list says something."""
    slug = slug or new_slug()
    workspace = {
        "slug": slug,
        "name": "Acme",
        "plan": {
            "initiativeLimit": 500,
            "activeInitiativeLimit": 100,
            "trialEndsAt": LATER,
            "aiCredits": 10000,
            "aiCreditsUsed": 12,
            "researchPolicies": ["on_demand", "weekly"],
            "managedSchedule": True,
        },
        "settings": {"engine": "embedded"},
        **STAMPS,
    }
    file = deepcopy({"workspace": workspace, **_LISTS})
    file["portal"] |= {"alias": slug, "host": f"{slug}.test"}
    return file


async def apply(database: Database, file: Any) -> Applied:
    data = file if isinstance(file, bytes) else msgspec.json.encode(file)
    return await apply_file(database, BytesIO(data), actor_id="tests")


async def refusal(database: Database, file: Any) -> dict[str, str]:
    """The faults for which a file is refused, by their paths."""
    try:
        await apply(database, file)
    except FileRefused as refused:
        return {fault.path: fault.message for fault in refused.faults}
    raise AssertionError("The file was not refused.")


async def export(database: Database, slug: str) -> bytes:
    parts: list[bytes] = []
    await export_workspace(database, slug, parts.append)
    return b"".join(parts)


async def exported(database: Database, slug: str) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(await export(database, slug))
    return found


def timeless(part: Any) -> Any:
    """What a file says, but for `updatedAt`."""
    if isinstance(part, list):
        return [timeless(item) for item in part]
    if isinstance(part, dict):
        return {name: timeless(value) for name, value in part.items() if name != "updatedAt"}
    return part


def by_key(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {record["key"]: record for record in records}


async def rows_of(database: Database, workspace_id: UUID) -> dict[str, list[str]]:
    """Every row of a workspace with the transaction that wrote it last."""
    async with database.autocommit() as tx:
        return {
            table: [
                row[0]
                for row in await tx.connection.fetch(
                    f"SELECT xmin::text || t::text FROM {table} t WHERE workspace_id = $1 ORDER BY 1",  # noqa: S608
                    workspace_id,
                )
            ]
            for table in await tables_of_workspaces(tx.connection)
        }
