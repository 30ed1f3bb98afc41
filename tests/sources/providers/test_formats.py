"""Each provider by its documented format, on a host of the test: requests, results, filters and failures."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio

from sightline.sources.providers.asking import Service
from sightline.sources.providers.choice import make_provider
from sightline.sources.search import SearchFailed, SearchPage, SearchProvider, SearchQuery
from tests.sources.web.loopback import Answer, Host, hosting, http
from tests.waiting import next_turn

Json = dict[str, Any]
KEY = "a-key-that-nobody-may-see"
NOW = datetime.now(UTC)


@dataclass(frozen=True)
class Format:
    """How a provider is asked, and the answer that holds results of (address, title, text, date)."""

    path: str
    label: str
    header: tuple[str, str] | None
    answer: Callable[[list[tuple[str, str, str, str | None]]], Json]
    date: Callable[[datetime], str] = lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S}"


def of_searxng(results: list[tuple[str, str, str, str | None]]) -> Json:
    found = [
        {"url": url, "title": title, "content": text, "publishedDate": date, "engine": "x", "score": 1.0}
        for url, title, text, date in results
    ]
    return {"query": "q", "number_of_results": 0, "results": found, "suggestions": [], "unresponsive_engines": []}


def of_brave(results: list[tuple[str, str, str, str | None]]) -> Json:
    found = [
        {"type": "search_result", "url": url, "title": title, "description": text, "page_age": date, "age": "a day ago"}
        for url, title, text, date in results
    ]
    return {"type": "search", "query": {"original": "q"}, "web": {"type": "search", "results": found}}


def of_tavily(results: list[tuple[str, str, str, str | None]]) -> Json:
    found = [
        {"url": url, "title": title, "content": text, "score": 0.9, "raw_content": None}
        | ({"published_date": date} if date else {})
        for url, title, text, date in results
    ]
    return {"query": "q", "answer": None, "images": [], "results": found, "response_time": 0.4}


def of_exa(results: list[tuple[str, str, str, str | None]]) -> Json:
    found = [
        {"id": url, "url": url, "title": title, "text": text, "publishedDate": date, "author": None}
        for url, title, text, date in results
    ]
    return {"requestId": "r", "resolvedSearchType": "neural", "results": found, "costDollars": {"total": 0.005}}


FORMATS = {
    "searxng": Format("/search", "SearXNG", None, of_searxng),
    "brave": Format("/res/v1/web/search", "Brave", ("X-Subscription-Token", KEY), of_brave),
    "tavily": Format(
        "/search",
        "Tavily",
        ("Authorization", f"Bearer {KEY}"),
        of_tavily,
        lambda moment: f"{moment:%a, %d %b %Y %H:%M:%S} GMT",
    ),
    "exa": Format("/search", "Exa", ("x-api-key", KEY), of_exa, lambda moment: f"{moment:%Y-%m-%dT%H:%M:%S.000Z}"),
}


@dataclass
class Asked:
    """A provider, its format, and the host that plays its part."""

    provider: SearchProvider
    format: Format
    host: Host

    def answers(self, answer: Json | Answer) -> None:
        found = http(json.dumps(answer), media_type="application/json") if isinstance(answer, dict) else answer
        self.host.answers[self.format.path] = found

    def finds(self, *urls: str, date: datetime | None = None) -> None:
        shown = self.format.date(date) if date else None
        self.answers(self.format.answer([(url, "A  title", "What it says", shown) for url in urls]))

    async def search(self, text: str = "estimates", **filters: Any) -> SearchPage:
        return await self.provider.search(SearchQuery(text=text, **filters))

    async def urls(self, **filters: Any) -> list[str]:
        return [hit.url for hit in (await self.search(**filters)).hits]

    @property
    def sent(self) -> Json:
        """What the last request asked for: its parameters, or its body."""
        head, _, body = self.host.requests[-1].partition("\r\n\r\n")
        target = head.split(" ")[1]
        return json.loads(body) if body else {name: one for name, [one] in parse_qs(urlsplit(target).query).items()}


@pytest_asyncio.fixture(params=FORMATS)
async def asked(request: pytest.FixtureRequest) -> AsyncIterator[Asked]:
    async with asking(request.param) as made:
        yield made


@asynccontextmanager
async def asking(name: str) -> AsyncIterator[Asked]:
    async with hosting() as host:
        yield Asked(make_provider(name, host.url, KEY), FORMATS[name], host)


async def test_results_are_hits(asked: Asked) -> None:
    asked.finds("https://trade.example/a?utm_source=x", "https://trade.example/b")
    found = await asked.search(limit=1)
    [hit] = found.hits
    assert hit.url == "https://trade.example/a"
    assert found.warnings == []
    assert asked.sent[{"searxng": "q", "brave": "q"}.get(asked.provider.name, "query")] == "estimates"


async def test_the_key_travels_in_its_header_only(asked: Asked) -> None:
    asked.finds("https://trade.example/a")
    await asked.search()
    [request] = asked.host.requests
    lines = request.lower().split("\r\n")
    if asked.format.header:
        name, value = asked.format.header
        assert f"{name.lower()}: {value.lower()}" in lines
    assert request.count(KEY) == (1 if asked.format.header else 0)


async def test_nothing_found_is_an_empty_page(asked: Asked) -> None:
    asked.finds()
    assert await asked.search() == SearchPage([], [])


async def test_results_without_their_fields_break_nothing(asked: Asked) -> None:
    whole = asked.format.answer([("https://trade.example/a", "A", "B", None)])
    results = whole["web"]["results"] if "web" in whole else whole["results"]
    results[:0] = [{}, {"url": None, "title": None}, {"url": "javascript:alert(1)"}, {"url": "not an address"}]
    asked.answers(whole)
    assert await asked.urls() == ["https://trade.example/a"]


async def test_the_same_address_comes_once(asked: Asked) -> None:
    asked.finds("https://trade.example/a", "http://trade.example/a/", "https://trade.example/a#part")
    assert await asked.urls() == ["https://trade.example/a"]


async def test_domains_hold_whatever_comes(asked: Asked) -> None:
    asked.finds("https://trade.example/a", "https://news.trade.example/b", "https://other.example/c")
    kept = await asked.urls(domains=("trade.example",), excluded_domains=("news.trade.example",))
    assert kept == ["https://trade.example/a"]


@pytest.mark.parametrize(("days", "is_kept"), [(400, False), (40, False), (10, True), (-3, False)])
async def test_a_date_far_outside_leaves_a_result_out(asked: Asked, days: int, is_kept: bool) -> None:
    asked.finds("https://trade.example/a", date=NOW - timedelta(days=days))
    kept = await asked.urls(since=NOW - timedelta(days=30), until=NOW)
    assert kept == (["https://trade.example/a"] if is_kept else [])


async def test_results_without_a_date_stay(asked: Asked) -> None:
    asked.finds("https://trade.example/a")
    assert await asked.urls(since=NOW - timedelta(days=30), until=NOW) == ["https://trade.example/a"]


@pytest.mark.parametrize(
    ("status", "is_temporary"), [(401, False), (429, True), (500, True), (503, True), (418, False)]
)
async def test_failures_say_what_is_wrong(asked: Asked, status: int, is_temporary: bool) -> None:
    asked.answers(http("{}", f"{status} Failure", {"Retry-After": "7"}))
    with pytest.raises(SearchFailed) as failed:
        await asked.search()
    assert asked.format.label in failed.value.reason
    assert str(status) in failed.value.reason
    assert KEY not in failed.value.reason
    assert failed.value.temporary is is_temporary
    assert failed.value.retry_after == (7.0 if status == 429 else None)


BROKEN = {
    "no JSON": http("<html>Please log in</html>"),
    "half of it": http('{"results": [', media_type="application/json"),
    "a list": http("[]", media_type="application/json"),
    "wrong types": http('{"type": 3, "results": "none", "web": {"results": 5}}', media_type="application/json"),
    "no text": http(b"\xff\xfe\x00", media_type="application/json"),
    "nested": http("[" * 100_000, media_type="application/json"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_an_answer_that_is_not_its_json_is_a_failure(asked: Asked, name: str) -> None:
    asked.answers(BROKEN[name])
    with pytest.raises(SearchFailed, match=f"{asked.format.label} answered something else than its JSON"):
        await asked.search()


async def test_an_answer_without_end_is_a_failure(asked: Asked) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        while True:
            writer.write(b" " * 100_000)
            await writer.drain()

    asked.answers(endless)
    with pytest.raises(SearchFailed, match="more than 5 MB"):
        await asked.search()


async def test_redirects_are_not_followed(asked: Asked) -> None:
    asked.answers(http("", "302 Found", {"Location": "/elsewhere"}))
    with pytest.raises(SearchFailed, match="answered 302"):
        await asked.search()
    assert len(asked.host.requests) == 1


@pytest.mark.parametrize("name", FORMATS)
async def test_nobody_at_the_address_is_a_failure_that_may_end(name: str) -> None:
    async with asking(name) as asked:
        pass
    await next_turn()
    with pytest.raises(SearchFailed, match=f"{asked.format.label} cannot be reached") as failed:
        await asked.search()
    assert failed.value.temporary


async def test_no_answer_in_time_is_a_failure_that_may_end() -> None:
    async with hosting() as host:
        host.is_silent = True
        with pytest.raises(SearchFailed, match="Slow did not answer in time"):
            await Service(label="Slow", url=host.url, seconds=0.2).ask("GET", "/", dict)


SINCE = NOW - timedelta(days=20)
DAY = "%Y-%m-%d"
EVERYTHING: dict[str, Any] = {
    "domains": ("a.example", "b.example"),
    "excluded_domains": ("c.a.example",),
    "languages": ("de",),
    "since": SINCE,
    "until": NOW,
    "limit": 12,
}
OPERATORS = "estimates (site:a.example OR site:b.example) -site:c.a.example"
SENT: dict[str, Json] = {
    "searxng": {"q": OPERATORS, "format": "json", "language": "de", "time_range": "month"},
    "brave": {
        "q": OPERATORS,
        "count": "12",
        "result_filter": "web",
        "text_decorations": "false",
        "search_lang": "de",
        "freshness": f"{SINCE:{DAY}}to{NOW:{DAY}}",
    },
    "tavily": {
        "query": "estimates",
        "max_results": 12,
        "search_depth": "basic",
        "include_domains": ["a.example", "b.example"],
        "exclude_domains": ["c.a.example"],
        "start_date": f"{SINCE:{DAY}}",
        "end_date": f"{NOW:{DAY}}",
    },
    "exa": {
        "query": "estimates",
        "numResults": 12,
        "type": "auto",
        "includeDomains": ["a.example", "b.example"],
        "startPublishedDate": f"{SINCE:%Y-%m-%dT%H:%M:%S}.000Z",
        "endPublishedDate": f"{NOW:%Y-%m-%dT%H:%M:%S}.000Z",
    },
}
SAID = {
    "searxng": ["SearXNG cannot filter by domain or days: what does not fit is left out afterwards."],
    "brave": [],
    "tavily": ["Tavily cannot filter by language: what does not fit is left out afterwards."],
    "exa": ["Exa cannot filter by language: what does not fit is left out afterwards."],
}


async def test_filters_are_passed_or_their_lack_is_said(asked: Asked) -> None:
    asked.finds()
    found = await asked.search(**EVERYTHING)
    assert asked.sent == SENT[asked.provider.name]
    assert found.warnings == SAID[asked.provider.name]


@pytest.mark.parametrize(("days", "expected"), [(0.5, "day"), (30, "month"), (90, "year"), (800, None)])
async def test_searxng_takes_the_shortest_range_that_reaches_far_enough(days: float, expected: str | None) -> None:
    async with asking("searxng") as asked:
        asked.finds()
        await asked.search(since=NOW - timedelta(days=days))
        assert asked.sent.get("time_range") == expected


async def test_silent_engines_are_said_so_an_empty_page_is_not_no_result() -> None:
    async with asking("searxng") as asked:
        engines = [["google", "timeout"], ["bing", "access denied"], "odd", [], [["odd"] * 5_000]]
        asked.answers(of_searxng([]) | {"unresponsive_engines": engines})
        found = await asked.search()
    assert found.hits == []
    assert found.warnings[:2] == [
        "SearXNG: google did not answer (timeout).",
        "SearXNG: bing did not answer (access denied).",
    ]
    assert found.warnings[4] == "SearXNG: an engine did not answer (no reason given)."


async def test_of_an_answer_a_hundred_results_are_looked_at(asked: Asked) -> None:
    others = [f"https://other{n}.example/" for n in range(20_000)]
    asked.finds(*others[:99], "https://trade.example/a", "https://trade.example/b", *others[99:])
    assert await asked.urls(domains=("trade.example",)) == ["https://trade.example/a"]


async def test_odd_texts_of_a_provider_spoil_no_other_result() -> None:
    async with asking("searxng") as asked:
        odd = ("https://a.example/", "half \ud800 a pair", "x", f"Mon, 01 Jan {'9' * 20} 00:00:00 GMT")
        engines = {"unresponsive_engines": [["a\0b", "time\0out"]]}
        asked.answers(of_searxng([odd, ("https://b.example/", "b", "x", None)]) | engines)
        found = await asked.search()
    assert [hit.url for hit in found.hits] == ["https://a.example/", "https://b.example/"]
    assert "SearXNG: ab did not answer (timeout)." in found.warnings


async def test_searxng_without_json_says_how_to_enable_it() -> None:
    async with asking("searxng") as asked:
        asked.answers(http("Forbidden", "403 FORBIDDEN"))
        with pytest.raises(SearchFailed, match=r"add json to search\.formats") as failed:
            await asked.search()
    assert not failed.value.temporary


async def test_brave_finds_nothing_without_a_part_of_the_web() -> None:
    async with asking("brave") as asked:
        asked.answers({"type": "search", "query": {"original": "q"}})
        assert await asked.urls() == []


async def test_brave_is_not_asked_for_more_than_it_takes() -> None:
    domains = tuple(f"host-with-a-long-name-{n}.example" for n in range(20))
    async with asking("brave") as asked:
        asked.finds("https://other.example/", f"https://{domains[3]}/")
        found = await asked.search("word " * 80, domains=domains, limit=50)
        assert len(asked.sent["q"]) <= 400
        assert len(asked.sent["q"].split()) <= 50
        assert asked.sent["count"] == "20"
    assert [hit.url for hit in found.hits] == [f"https://{domains[3]}/"]
    assert found.warnings == ["Brave cannot filter by so many domains: what does not fit is left out afterwards."]


@pytest.mark.parametrize(("name", "status"), [("tavily", 432), ("tavily", 433), ("exa", 402), ("brave", 402)])
async def test_an_account_without_searches_is_not_asked_again(name: str, status: int) -> None:
    async with asking(name) as asked:
        asked.answers(http("{}", f"{status} Payment"))
        with pytest.raises(SearchFailed) as failed:
            await asked.search()
    assert not failed.value.temporary
