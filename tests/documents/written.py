"""An initiative of a few records, the document that is written from it, and its parts."""

from typing import Any

from tests.documents.conftest import Json, written
from tests.world import World

INITIATIVE: Json = {
    "key": "out",
    "name": "Exports",
    "number": 1,
    "description": "Exports run alone, so that nobody waits for support.",
    "finishDate": "2026-12-18",
}


def idea(key: str = "csv", name: str = "Export a table as CSV", **more: Any) -> Json:
    return {"key": key, "name": name, "description": "A table is shown as CSV.", "initiative": "out", **more}


def insight(key: str, title: str, text: str, signal: str | None = None, **more: Any) -> Json:
    return {"key": key, "title": title, "extracts": [{"text": text, "signal": signal or f"s-{key}"}], **more}


def signal(key: str, **more: Any) -> Json:
    return {"key": f"s-{key}", "name": key, **more}


async def prd(world: World, type: str = "PRD", **lists: Any) -> Json:
    await world.add(initiatives=[INITIATIVE], **lists)
    return await written(world, type)


def part(document: Json, heading: str) -> str:
    content: str = document["content"]
    assert f"\n## {heading}\n" in content, content
    return content.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].strip()


def marks(document: Json, *titles: str) -> str:
    refs = {source["title"]: source["ref"] for source in document["sources"]}
    return " ".join(f"[{refs[title]}]" for title in titles)


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines()[2:]]


ACCOUNTS = [{"key": name.lower(), "name": name} for name in ("Acme", "Bolt", "Core", "Dune")]
