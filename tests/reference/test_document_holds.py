"""Requests made up from the OpenAPI document: nothing fails, and every answer is one that the document tells."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.world import API, World

pytestmark = pytest.mark.slow

SOME, MANY = 20, 1000  # examples an operation
# A valid shape may still be refused: an unknown status, a filter that contradicts another, a version of yesterday.
NOT_CHECKED = "positive_data_acceptance"


async def look_for_faults(world: World, folder: Path, examples: int, phases: str) -> str:
    """What schemathesis says, empty when it found nothing."""
    for n in range(8):  # the examples speak of IDEA-7
        await world.client.post("/ideas", json={"description": f"Export table {n} as a CSV file."})
    words = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{world.address}{API}/openapi.json"),
        *("--checks", "all", "--exclude-checks", NOT_CHECKED, "--phases", phases),
        *("--max-examples", str(examples), "--seed", "1", "--suppress-health-check", "all", "--no-color"),
        *("--header", f"Authorization: Bearer {await world.key('all')}"),
    ]
    process = await asyncio.create_subprocess_exec(
        *words, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await process.communicate()
    return said.decode() if process.returncode else ""


async def test_made_up_requests_find_no_fault(world: World, tmp_path: Path) -> None:
    assert not await look_for_faults(world, tmp_path, SOME, "examples,fuzzing")


@pytest.mark.fuzz
async def test_many_made_up_requests_find_no_fault(world: World, tmp_path: Path) -> None:
    assert not await look_for_faults(world, tmp_path, MANY, "examples,coverage,fuzzing")
