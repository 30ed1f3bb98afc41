"""A client that is generated from the OpenAPI document, without a warning, and used against the service."""

import sys
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.generated.made import Made

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def package(python_client: Path) -> str:
    """The name of the generated package, which can be imported."""
    sys.path.insert(0, str(python_client))
    return "sightline_client"


@pytest_asyncio.fixture
async def client(package: str, made: Made) -> AsyncIterator[Any]:
    key = await made.world.key("all")
    async with import_module(package).AuthenticatedClient(base_url=made.world.address, token=key) as client:
        yield client


def operation(package: str, name: str) -> Any:
    """The module of an operation, which lies under its tag."""
    found = list(Path(str(import_module(package).__path__[0]), "api").glob(f"*/{name}.py"))
    assert len(found) == 1, f"{name}: {found}"
    return import_module(f"{package}.api.{found[0].parent.name}.{name}")


async def test_it_reads_and_creates(package: str, client: Any, made: Made) -> None:
    models = import_module(f"{package}.models")
    status = [models.SignalStatus.PROCESSED]
    signals = await operation(package, "list_signals").asyncio(client=client, limit=5, status=status)
    assert [type(signal) for signal in signals] == [models.Signal]
    new_idea = models.NewIdea(description="Export every table.", name=None, product_id=None, feature_ids=None)
    created = await operation(package, "create_idea").asyncio(client=client, body=new_idea)
    assert isinstance(created, models.Idea)
    read = await operation(package, "get_idea").asyncio(str(created.id), client=client)
    assert read.to_dict() == created.to_dict()


async def test_it_knows_problems(package: str, client: Any) -> None:
    models = import_module(f"{package}.models")
    problem = await operation(package, "get_idea").asyncio("IDEA-999", client=client)
    assert isinstance(problem, models.Problem)
    assert (problem.status, problem.code) == (404, "NOT_FOUND")
    problem = await operation(package, "create_idea").asyncio(client=client, body=models.NewIdea(description=" "))
    assert isinstance(problem, models.ValidationFailedProblem)
    assert (problem.status, problem.field, problem.errors[0].path) == (400, "description", "description")
