"""Ideas that wait for a model, and a model that reads them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from sightline.intelligence.embedded import EmbeddedEngine
from tests.ideas.acme import Acme, Json
from tests.ideas.workroom import trail
from tests.intelligence.fake_model import Answer, FakeModel, says

TEXT = "Analysts want a CSV export of every table. Speed matters to them."
EMBEDDED = {"name": "embedded", "version": EmbeddedEngine.version}
MODEL = {"name": "model:m", "version": "1"}
LEFT = {"engine": f"embedded {EmbeddedEngine.version}", "replaced": []}
BY_WORDS = LEFT | {"replaced": ["features"]}
QUESTION = "Which tables are copied first?"
DUE = "SELECT model_due_at FROM ideas WHERE workspace_id = $1 AND id = $2"
ATTEMPTS = "SELECT model_attempts FROM ideas WHERE workspace_id = $1 AND id = $2"
IS_DUE = "SELECT coalesce(model_due_at <= now(), false) FROM ideas WHERE workspace_id = $1 AND id = $2"
MAKE_DUE = "UPDATE ideas SET model_due_at = now() - interval '1 s' WHERE workspace_id = $1 AND model_due_at IS NOT NULL"

Sweep = Callable[[FakeModel], Awaitable[None]]


def listed(request: Json, name: str) -> list[str]:
    """The lines of a list of the request."""
    _, _, rest = request["messages"][1]["content"].partition(f"<data {name} ")
    return [line for line in rest.partition(">\n")[2].partition("\n</data")[0].splitlines() if line]


def number_of(request: Json, name: str, what: str) -> int:
    return next(n for n, line in enumerate(listed(request, name), 1) if what in line)


def search(request: Json) -> Json:
    number = number_of(request, "features", "Search")
    reasoning = "They look for tables."
    return {"number": number, "quote": "csv export of EVERY table", "reasoning": reasoning, "confidence": 0.93}


def trust(request: Json) -> Json:
    return {"number": number_of(request, "options", "Trust"), "quote": "speed matters", "reasoning": ""}


def reads(**more: Any) -> Callable[[Json], Answer]:
    """A model that finds the search, speed, one question and a name."""

    def answer(request: Json) -> Answer:
        return says(
            {
                "features": [search(request)] if "features" not in more else [],
                "options": [trust(request)] if "options" not in more else [],
                "questions": [{"question": QUESTION, "reasoning": "It is done first.", "quote": "every table"}],
                "name": "CSV export",
                **more,
            }
        )

    return answer


def after(act: Callable[[], Awaitable[Any]], step: Callable[[Json], Answer]) -> Callable[[Json], Answer]:
    """A model that answers when something has happened, while it is asked."""
    loop = asyncio.get_running_loop()

    def answer(request: Json) -> Answer:
        asyncio.run_coroutine_threadsafe(_awaited(act), loop).result(30)
        return step(request)

    return answer


async def _awaited(act: Callable[[], Awaitable[Any]]) -> None:
    await act()


async def questions_of(acme: Acme, idea: Json) -> list[Json]:
    answer = await acme.client.get(f"/ideas/{idea['id']}/questions", params={"limit": 100})
    listed: list[Json] = answer.json()
    return listed


async def options_of(acme: Acme, idea: Json) -> dict[str, tuple[list[str], str, str]]:
    """By group: labels, origin and state."""
    answer = (await acme.client.get(f"/ideas/{idea['id']}/classifications")).json()
    return {
        group["groupKey"]: (group["value"]["optionLabels"], group["origin"], group["reviewState"])
        for group in answer["groups"]
        if group["value"] is not None
    }


async def new_idea(acme: Acme, **fields: Any) -> Json:
    return await acme.create(description=TEXT, productId=acme.products["app"], **fields)


async def is_due(acme: Acme, idea: Json) -> bool:
    return bool(await acme.value(IS_DUE, UUID(idea["id"])))


async def last_read(acme: Acme, idea: Json) -> Json:
    """What the trail says of the last reading."""
    return [detail for action, detail in await trail(acme, idea["id"]) if action == "read"][-1]


async def answered(acme: Acme, idea: Json) -> None:
    [first, *_] = await questions_of(acme, idea)
    at = f"/ideas/{idea['id']}/questions/{first['id']}/answer"
    assert (await acme.client.patch(at, json={"answer": "The finance team."})).status_code == 200
