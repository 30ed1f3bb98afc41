"""Requests per minute and key. Decisions: Everywhere, 429."""

from collections.abc import AsyncIterator
from math import ceil
from uuid import UUID

import httpx2
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from sightline.platform import limits
from sightline.platform.access import Actor
from sightline.platform.db import Database
from sightline.platform.errors import RateLimited
from sightline.platform.http.throttle import RequestsPerMinute
from tests.platform.http.conftest import laboratory
from tests.world import World, serving

LIMITS = ["RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]


@pytest_asyncio.fixture(scope="module")
async def narrow(database: Database, database_url: str) -> AsyncIterator[World]:
    """The laboratory, with three requests a minute."""
    async with (
        serving(database_url, laboratory(database_url, rate_limit=3)) as address,
        World(database, address) as lab,
    ):
        yield lab


def left(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.headers["X-RateLimit-Remaining"]


async def test_the_fourth_request_of_three_is_refused(narrow: World) -> None:
    client = await narrow.client_with("all")
    answers = [await client.get("/things") for _ in range(5)]
    assert [left(answer) for answer in answers] == [(200, "2"), (200, "1"), (200, "0"), (429, "0"), (429, "0")]
    refused = answers[-1]
    assert refused.json()["code"] == "RATE_LIMITED"
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["RateLimit-Policy"] == '"key";q=3;w=60'
    assert refused.headers["RateLimit"].startswith('"key";r=0;t=')


async def test_what_is_left_stands_on_refusals_too(narrow: World) -> None:
    client = await narrow.client_with("ideas:read")
    for path, status in (("/things/!", 400), ("/fails", 500), ("/things/IDEA-99", 404)):
        answer = await client.get(path)
        assert answer.status_code == status
        assert all(answer.headers.get_list(name) == [answer.headers[name]] for name in LIMITS)


async def test_a_missing_scope_counts_too(narrow: World) -> None:
    client = await narrow.client_with("products:read")
    answers = [await client.get("/things") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [403, 403, 403, 429]


async def test_each_key_has_its_own_minute(narrow: World) -> None:
    clients = [await narrow.client_with("all") for _ in range(2)]
    assert [left(await client.get("/things")) for client in clients] == [(200, "2"), (200, "2")]


async def test_who_has_no_key_is_told_nothing(narrow: World) -> None:
    answer = await narrow.client_of(None).get("/things")
    assert answer.status_code == 401
    assert not set(LIMITS) & {name for name in LIMITS if name in answer.headers}


async def test_without_a_limit_nothing_is_told(lab: World) -> None:
    answer = await lab.client.get("/things")
    assert not [name for name in LIMITS if name in answer.headers]


class Watch:
    """A clock that is set by hand."""

    def __init__(self, at: float = 1000.0) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at


def actor(name: str) -> Actor:
    return Actor(UUID(int=1), "key", name)


def is_let_in(throttle: RequestsPerMinute, name: str = "a") -> bool:
    try:
        throttle.admit(actor(name))
    except RateLimited:
        return False
    return True


@given(limit=st.integers(1, 5), pauses=st.lists(st.floats(0, 90), max_size=40))
def test_no_minute_of_a_key_has_more_than_the_limit(limit: int, pauses: list[float]) -> None:
    watch = Watch()
    throttle = RequestsPerMinute(limit, now=watch)
    started, counted = -1e9, 0
    for pause in pauses:
        watch.at += pause
        if watch.at >= started + 60:
            started, counted = watch.at, 0
        is_in = is_let_in(throttle)
        assert is_in is (counted < limit)
        counted += is_in


@given(waited=st.floats(0, 59.9))
def test_who_waits_as_told_is_let_in(waited: float) -> None:
    watch = Watch()
    throttle = RequestsPerMinute(1, now=watch)
    throttle.admit(actor("a"))
    watch.at += waited
    with pytest.raises(RateLimited) as refused:
        throttle.admit(actor("a"))
    headers = refused.value.headers
    assert int(headers["X-RateLimit-Reset"]) == ceil(1060)
    watch.at += int(headers["Retry-After"])
    assert is_let_in(throttle)


def test_a_clock_put_back_locks_nobody_out() -> None:
    watch = Watch()
    throttle = RequestsPerMinute(1, now=watch)
    assert is_let_in(throttle)
    watch.at -= 3600
    assert is_let_in(throttle)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_KEYS", 10)
    throttle = RequestsPerMinute(1, now=Watch())
    for n in range(100):
        throttle.admit(actor(str(n)))
    assert [is_let_in(throttle, str(n)) for n in (89, 90, 99)] == [True, True, False]
    assert len(throttle._limit._periods) == 10
