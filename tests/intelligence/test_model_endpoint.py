"""The client of models, against an endpoint on this machine: forms of answer, retries, repairs, budgets."""

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from sightline.intelligence.model import endpoint as endpoints
from sightline.intelligence.model.endpoint import Endpoint, Prompt
from sightline.intelligence.model.session import Budget, ModelFailed, Session
from tests.intelligence.fake_model import Answer, FakeModel, Json, fake_model, says

GOOD = {"title": "Slow exports", "turn": None}
AT_ONCE = {"Retry-After": "0"}


class Found(Struct):
    title: str
    turn: int | None = None


def no_complaint(_: Found) -> str:
    return ""


async def ask(
    fake: FakeModel,
    session: Session | None = None,
    check: Callable[[Found], str] = no_complaint,
    endpoint: Endpoint | None = None,
) -> Found:
    endpoint = endpoint or Endpoint(fake.url, "m", "secret")
    prompt = Prompt("Find it.", "Words.")
    return await endpoint.ask(
        session or Session(Budget(seconds=60)), prompt, Found, lambda found: (found, check(found))
    )


async def test_a_request_names_model_key_and_schema() -> None:
    with fake_model(says(GOOD)) as fake:
        assert await ask(fake) == Found("Slow exports")
    [request] = fake.requests
    assert (request["path"], request["key"], request["model"]) == ("/v1/chat/completions", "Bearer secret", "m")
    assert request["response_format"]["json_schema"] == {
        "name": "answer",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"title": {"type": "string"}, "turn": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
            "required": ["title", "turn"],
            "additionalProperties": False,
        },
    }


async def test_temporary_failures_are_tried_again() -> None:
    session = Session(Budget(seconds=60))
    with fake_model(Answer(status=429, headers=AT_ONCE), Answer(status=500, headers=AT_ONCE), says(GOOD)) as fake:
        assert (await ask(fake, session)).title == "Slow exports"
    assert (session.requests, session.input_tokens, session.output_tokens) == (3, 100, 10)


async def test_failures_without_end_are_given_up() -> None:
    with fake_model(Answer(status=503, headers=AT_ONCE)) as fake, pytest.raises(ModelFailed, match="status 503"):
        await ask(fake)
    assert len(fake.requests) == endpoints.TRIES


@pytest.mark.parametrize("headers", [{"Retry-After": "3600"}, {"Retry-After": "Wed, 01 Jan 2098 00:00:00 GMT"}])
async def test_nobody_waits_longer_than_the_budget(headers: dict[str, str]) -> None:
    with fake_model(Answer(status=429, headers=headers)) as fake, pytest.raises(ModelFailed, match="status 429"):
        await ask(fake)
    assert len(fake.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 302])
async def test_a_refused_key_and_a_redirect_are_not_tried_again(status: int) -> None:
    answer = Answer(status=status, headers={"Location": "/elsewhere"})
    with fake_model(answer) as fake, pytest.raises(ModelFailed, match=f"status {status}"):
        await ask(fake)
    assert len(fake.requests) == 1


async def test_a_refused_form_is_followed_by_the_next_and_remembered() -> None:
    def picky(request: Json) -> Answer:
        is_refused = "response_format" in request
        return Answer(status=400, body='{"error": "response_format"}') if is_refused else says(GOOD)

    with fake_model(picky) as fake:
        endpoint = Endpoint(fake.url, "m")
        assert (await ask(fake, endpoint=endpoint)).title == "Slow exports"
        assert (await ask(fake, endpoint=endpoint)).title == "Slow exports"
    assert fake.forms == ["json_schema", "json_object", None, None]
    assert '"required":["title","turn"]' in fake.requests[-1]["messages"][0]["content"]
    assert fake.requests[0]["key"] is None


async def test_a_request_that_is_refused_in_every_form_fails() -> None:
    with fake_model(Answer(status=400)) as fake:
        endpoint = Endpoint(fake.url, "m")
        with pytest.raises(ModelFailed, match="refuses the request with status 400"):
            await ask(fake, endpoint=endpoint)
        assert (endpoint.form, len(fake.requests)) == ("json_schema", 3)


@pytest.mark.parametrize(
    "content",
    [
        f"```json\n{json.dumps(GOOD)}\n```",
        f"Here it is: {json.dumps(GOOD)} I hope it helps.",
        f"<think>Perhaps {{1}}?</think>{json.dumps(GOOD)}",
    ],
)
async def test_json_is_found_between_words(content: str) -> None:
    with fake_model(Answer(content)) as fake:
        assert (await ask(fake)).title == "Slow exports"
    assert len(fake.requests) == 1


UNREADABLE = [
    "I cannot do that.",
    '{"title": 1, "turn": null}',
    '{"turn": 1}',
    '{"title": "cut o',
    '{"title": "\\u0000"}',
    '{"title": "\\ud800"}',
    '{"title": "x", "turn": NaN}',
    '{"title": ' + "[" * 20_000,
    "<think>" * 50_000,
    "",
]


@pytest.mark.parametrize("content", UNREADABLE, ids=range(len(UNREADABLE)))
async def test_an_unreadable_answer_is_asked_for_again(content: str) -> None:
    with fake_model(Answer(content), says(GOOD)) as fake:
        assert (await ask(fake)).title == "Slow exports"
    assert [message["role"] for message in fake.requests[1]["messages"]] == ["system", "user", "assistant", "user"]


async def test_an_endpoint_that_ignores_the_form_gets_the_schema_in_words() -> None:
    def careless(request: Json) -> Answer:
        is_told = any('"additionalProperties":false' in message["content"] for message in request["messages"])
        return says(GOOD) if is_told else says({"summary": "Exports are slow."})

    with fake_model(careless) as fake:
        assert (await ask(fake)).title == "Slow exports"
    assert len(fake.requests) == 2


async def test_unreadable_answers_for_ever_fail() -> None:
    with fake_model(Answer("No.")) as fake, pytest.raises(ModelFailed, match="no readable answer"):
        await ask(fake)
    assert len(fake.requests) == 1 + endpoints.REPAIRS


async def test_a_wrong_answer_is_sent_back_with_the_reason() -> None:
    def check(found: Found) -> str:
        return "" if found.title == "Slow exports" else f"{found.title} is wrong."

    with fake_model(says({"title": "Fast"}), says(GOOD)) as fake:
        assert (await ask(fake, check=check)).title == "Slow exports"
    assert fake.requests[1]["messages"][-1]["content"].startswith("Fast is wrong.")


async def test_nothing_stands_still_while_an_answer_is_checked() -> None:
    loop, other = asyncio.get_running_loop(), threading.Event()

    def check(found: Found) -> str:
        loop.call_soon_threadsafe(other.set)
        return "" if other.wait(5) else "Nothing else was done meanwhile."

    with fake_model(says(GOOD)) as fake:
        await ask(fake, check=check)
    assert len(fake.requests) == 1


async def test_the_last_answer_is_returned_though_it_is_wrong() -> None:
    """The caller drops what is wrong with it."""
    with fake_model(says({"title": "Fast"})) as fake:
        assert (await ask(fake, check=lambda _: "Wrong.")).title == "Fast"
    assert len(fake.requests) == 1 + endpoints.REPAIRS


async def test_an_answer_stays_when_its_repair_fails() -> None:
    with fake_model(says(GOOD), Answer(status=401)) as fake:
        assert (await ask(fake, check=lambda _: "Wrong.")).title == "Slow exports"


DEEP = '{"choices": [], "usage": ' + "[" * 100_000
BROKEN = {
    "cut": says(GOOD, cut=True),
    "html": Answer(body="<html>"),
    "list": Answer(body="[]"),
    "deep": Answer(body=DEEP),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
async def test_a_cut_or_foreign_answer_is_tried_again(broken: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "FIRST_WAIT", 0.01)
    with fake_model(broken, says(GOOD)) as fake:
        assert (await ask(fake)).title == "Slow exports"
    assert len(fake.requests) == 2


async def test_a_refusal_to_connect_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "FIRST_WAIT", 0.01)
    with fake_model(says(GOOD)) as fake:
        pass
    with pytest.raises(ModelFailed, match="cannot be reached"):
        await ask(fake)


async def test_a_long_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "MOST_BYTES", 1_000)
    with fake_model(says({"title": "x" * 2_000})) as fake, pytest.raises(ModelFailed, match="too long"):
        await ask(fake)


@pytest.mark.parametrize(
    "usage",
    [None, {}, {"prompt_tokens": -1, "completion_tokens": 3}, "much", [[]] * 50_000],
    ids=["none", "empty", "odd", "a word", "large"],
)
async def test_tokens_that_are_not_reported_are_estimated(usage: Any) -> None:
    session = Session(Budget(seconds=60))
    with fake_model(says(GOOD, usage=usage)) as fake:
        await ask(fake, session)
    assert session.unmeasured == 1
    assert session.input_tokens > 50
    assert session.output_tokens > 5


async def test_a_slow_endpoint_ends_with_the_budget() -> None:
    session = Session(Budget(seconds=1))
    with fake_model(says(GOOD, seconds=60)) as fake, pytest.raises(ModelFailed):
        await ask(fake, session)
    assert session.seconds < 30


@pytest.mark.parametrize(
    ("budget", "reason"),
    [(Budget(requests=1), "requests"), (Budget(tokens=105), "tokens"), (Budget(tokens=1), "tokens")],
)
async def test_a_task_keeps_its_budget(budget: Budget, reason: str) -> None:
    session = Session(budget)
    with fake_model(Answer("No.")) as fake, pytest.raises(ModelFailed, match=reason):
        await ask(fake, session)
    assert len(fake.requests) == (0 if budget.tokens == 1 else 1)
