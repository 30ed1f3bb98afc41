"""Research over a web on this machine whose hosts answer after a while: sections beside their ideal, and memory."""

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, closing
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_network
from math import ceil
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from benchmarks.rounds import BenchFailed, Case, Round, time_each
from benchmarks.servers import resident_megabytes
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.plans import PlanSection
from sightline.platform.clock import Clock
from sightline.research.runs.search import READS_AT_ONCE, SearchTools, Terms, search_section
from sightline.sources.pages import PageUnavailable
from sightline.sources.providers.searxng import SearXNG
from sightline.sources.web.reader import WebReader

SOURCES = 10
HOSTS = 20  # each is asked for its robots.txt once
DELAY = 0.3  # seconds until a host answers
_TEXT = (
    "Workshops send the estimate number {n} by text message, and customers give their approval before work starts. "
    "Most of the workshops get the approval of an estimate within an hour, and order the parts in the evening. "
)


class _Web:
    """Answers on 127.0.0.1 to 127.0.0.20, and counts the searches and pages that it is asked for."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self.port = 0
        self.asked = Counter[str]()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = urlsplit((await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()).path
        await asyncio.sleep(self._delay)
        status, kind, body = self._find(path)
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        writer.close()

    def _find(self, path: str) -> tuple[str, str, bytes]:
        """Each search finds other pages, on all hosts in turn."""
        if path == "/robots.txt":
            return "404 Not Found", "text/plain", b""
        if path == "/search":
            self.asked["search"] += 1
            urls = [self.url(self.asked["search"] * HOSTS + place) for place in range(HOSTS)]
            results = [{"url": url, "title": f"Page {url}"} for url in urls]
            return "200 OK", "application/json", json.dumps({"results": results}).encode()
        self.asked["page"] += 1
        return "200 OK", "text/html", _html(path)

    def url(self, number: int) -> str:
        return f"http://127.0.0.{number % HOSTS + 1}:{self.port}/{number}"


def _html(path: str) -> bytes:
    """A page of common size, with as much around its text as pages have."""
    yesterday = (Clock().now() - timedelta(days=1)).date()
    around = "".join(f"<li><a href='/other/{n}'>Another page of the site, number {n}</a></li>" for n in range(150))
    text = "".join(f"<p>{_TEXT.format(n=f'{path[1:]} {n}')}</p>" for n in range(20))
    head = f"<title>Estimates {path}</title><meta property='article:published_time' content='{yesterday}'>"
    body = f"<nav><ul>{around}</ul></nav><article><h1>Estimates</h1>{text}</article>"
    return f"<html lang='en'><head>{head}</head><body>{body}</body></html>".encode()


@asynccontextmanager
async def _open_web(delay: float) -> AsyncIterator[tuple[_Web, WebReader]]:
    """The web, and a reader of it."""
    web = _Web(delay)
    others = [f"127.0.0.{place + 1}" for place in range(1, HOSTS)]
    async with aclosing(WebReader(Clock(), [ip_network("127.0.0.0/8")])) as reader:
        with closing(await asyncio.start_server(web.answer, "127.0.0.1", 0)) as first:
            web.port = first.sockets[0].getsockname()[1]
            with closing(await asyncio.start_server(web.answer, others, web.port)):
                yield web, reader


async def sections(number: int, delay: float = DELAY) -> Case:
    """Sections searched one after the other. The limit is the waiting that cannot be less.

    That is for each section its searches one after the other, then its pages so many at once, and one robots.txt.
    """
    details: dict[str, Any] = {"sections": number}

    async def measure(_connections: int, _seconds: float) -> Round:
        async with _open_web(delay) as (web, reader):
            await reader.read(web.url(0))  # starts the processes
            tools = SearchTools(EmbeddedResearcher(), SearXNG(f"http://127.0.0.1:{web.port}"), reader)
            web.asked.clear()
            ideal, found = delay, 0

            async def search(_: int, number: int) -> None:
                nonlocal ideal, found
                before = web.asked.copy()
                found += len((await search_section(_section(number), _terms(), tools, known={})).findings)
                asked = web.asked - before
                ideal += delay * (asked["search"] + ceil(asked["page"] / READS_AT_ONCE))

            searched = await time_each(iter(range(number)), search, workers=1)
        pages, seconds = web.asked["page"], searched.seconds
        details.update(size=pages, findings=found, searches=web.asked["search"])
        details.update(seconds=round(seconds, 2), idealSeconds=round(ideal, 2))
        return replace(searched, requests=pages)

    async def wait(_connections: int, _seconds: float) -> Round:
        return Round(details["size"], details["idealSeconds"], Counter())

    return Case(measure, {"waiting": wait}, details)


async def pages(number: int) -> Case:
    """Pages that one worker reads, and its memory with its processes after a tenth and at the end."""
    details: dict[str, Any] = {"size": number}

    async def measure(connections: int, _: float) -> Round:
        memory = []
        async with _open_web(0.0) as (web, reader):

            async def read(_: int, page: int) -> None:
                try:
                    await reader.read(web.url(page))
                except PageUnavailable as refusal:
                    raise BenchFailed(f"{web.url(page)}: {refusal.reason}") from None
                if page + 1 in (number // 10, number):
                    memory.append(_memory(reader))

            done = await time_each(iter(range(number)), read, connections)
        details.update(residentMegabytes=memory, seconds=round(done.seconds, 2))
        return done

    return Case(measure, details=details)


def _memory(reader: WebReader) -> list[int]:
    """Of this process, and of the largest that reads pages."""
    readers = [resident_megabytes(process.pid) for process in reader.extractor.idle_processes]
    return [resident_megabytes(os.getpid()), max(readers, default=0)]


def _section(number: int) -> PlanSection:
    return PlanSection(
        id=uuid4(),
        name=f"Approval {number}",
        type="market",
        objective="Find out how workshops get the approval of an estimate.",
        questions=[f"How do workshops get a customer's approval of estimate {number}?", "Who approves an estimate?"],
        topic="approval of estimates in workshops",
    )


def _terms() -> Terms:
    now = Clock().now()
    return Terms(research_mode="recent", since=now - timedelta(days=30), until=now, target=SOURCES)
