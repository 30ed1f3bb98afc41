"""What the API answers, as found through its own OpenAPI document."""

import json
import re
from typing import Any

import httpx2

from tests.world import API

NEVER_THE_SAME = {"date", "server", "x-request-id", "request-id"}


async def answers(address: str, key: str) -> dict[str, tuple[int, dict[str, str], bytes]]:
    """Of every list and the records on its first page: status, headers and bytes."""
    async with _client(address, key) as client:
        described = (await client.get(f"{API}/openapi.json")).json()["paths"]
        paths = [path for path, operations in described.items() if "get" in operations]
        found: dict[str, tuple[int, dict[str, str], bytes]] = {}
        for path in (path for path in paths if "{" not in path):
            await _ask(client, found, path)
            for record in _records(found[path][2]):
                for below in _below(paths, path):
                    await _ask(client, found, re.sub(r"\{\w+\}", record["id"], below))
        await _ask(client, found, f"{API}/ideas?updatedSince=2000-01-01T00:00:00Z&limit=100")
        return found


async def create_idea(address: str, key: str) -> dict[str, Any]:
    async with _client(address, key) as client:
        made = await client.post(f"{API}/ideas", json={"name": "After", "description": "the restore"})
        assert made.status_code == 201, made.text
        shown: dict[str, Any] = made.json()
        return shown


async def delete_idea(address: str, key: str, idea: dict[str, Any]) -> None:
    async with _client(address, key) as client:
        assert (await client.delete(f"{API}/ideas/{idea['id']}")).status_code < 300


async def _ask(client: httpx2.AsyncClient, found: dict[str, Any], path: str) -> None:
    response = await client.get(path)
    own = f"{client.base_url.scheme}://{client.base_url.netloc.decode()}"
    headers = {name: value.replace(own, "") for name, value in response.headers.items() if name not in NEVER_THE_SAME}
    found[path] = response.status_code, headers, response.content


def _below(paths: list[str], path: str) -> list[str]:
    """The record's own address, and the lists it has."""
    return [other for other in paths if re.fullmatch(rf"{re.escape(path)}/\{{\w+\}}(/\w[\w-]*)?", other)]


def _records(content: bytes) -> list[dict[str, Any]]:
    records = json.loads(content) if content.startswith((b"[", b"{")) else []
    records = records.get("data", []) if isinstance(records, dict) else records
    return [record for record in records[:4] if isinstance(record, dict) and "id" in record]


def _client(address: str, key: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=address, headers={"Authorization": f"Bearer {key}"}, timeout=30, verify=False)
