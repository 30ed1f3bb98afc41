"""Research over a web on this machine whose hosts answer after a while: sections beside their ideal, and memory."""

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from ipaddress import ip_network
from math import ceil
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from benchmarks.processes import resident_megabytes
from benchmarks.rounds import percentile
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.plans import Section
from sightline.platform.clock import Clock
from sightline.research.runs.searching import READS_AT_ONCE, Terms, Tools, search_section
from sightline.sources.pages import PageUnavailable
from sightline.sources.providers.searxng import SearXNG
from sightline.sources.web.reader import WebReader

RESEARCH_ROW = "research_sections"
PAGES_ROW = "research_pages"
SOURCES = 10
HOSTS = 20  # each is asked for its robots.txt once
DELAY = 0.3  # seconds until a host answers
_TEXT = (
    "Workshops send the estimate number {n} by text message, and customers give their approval before work starts. "
    "Most of the workshops get the approval of an estimate within an hour, and order the parts in the evening. "
)


class _Web:
    """Answers on 127.0.0.1 to 127.0.0.20, and counts what it is asked."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self.port = 0
        self.searches = 0
        self.pages = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
        await asyncio.sleep(self._delay)
        status, kind, body = self._found(urlsplit(path).path)
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        writer.close()

    def _found(self, path: str) -> tuple[str, str, bytes]:
        if path == "/robots.txt":
            return "404 Not Found", "text/plain", b""
        if path == "/search":
            self.searches += 1
            return "200 OK", "application/json", self._results()
        self.pages += 1
        return "200 OK", "text/html", _html(path)

    def _results(self) -> bytes:
        """Other pages for each search, on all hosts in turn."""
        numbers = range(self.searches * HOSTS, (self.searches + 1) * HOSTS)
        results = [{"url": self.url(number), "title": f"Page {number}"} for number in numbers]
        return json.dumps({"results": results}).encode()

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
async def _open_web(delay: float) -> AsyncIterator[_Web]:
    web = _Web(delay)
    server = await asyncio.start_server(web.answer, "127.0.0.1", 0)
    web.port = server.sockets[0].getsockname()[1]
    others = [await asyncio.start_server(web.answer, f"127.0.0.{n + 1}", web.port) for n in range(1, HOSTS)]
    try:
        yield web
    finally:
        for one in (server, *others):
            one.close()


@asynccontextmanager
async def _open_reader() -> AsyncIterator[WebReader]:
    reader = WebReader(Clock(), [ip_network("127.0.0.0/8")])
    try:
        yield reader
    finally:
        await reader.aclose()


async def measure_sections(sections: int, delay: float = DELAY) -> dict[str, Any]:
    """The row: pages a second of sections searched one after the other. Its limit is the waiting that cannot be less.

    That is for each section its searches one after the other, then its pages so many at once, and one robots.txt.
    """
    times: Counter[int] = Counter()
    ideal, found = 0.0, 0
    async with _open_web(delay) as web, _open_reader() as reader:
        await reader.read(web.url(0))  # starts the processes
        tools = Tools(EmbeddedResearcher(), SearXNG(f"http://127.0.0.1:{web.port}"), reader)
        searches, pages = web.searches, web.pages
        for number in range(sections):
            before, started = (web.searches, web.pages), time.perf_counter()
            result = await search_section(_section(number), _terms(), tools, seen=set())
            times[int((time.perf_counter() - started) * 1e6)] += 1
            found += len(result.findings)
            robots = 1 if number == 0 else 0
            ideal += delay * (web.searches - before[0] + ceil((web.pages - before[1]) / READS_AT_ONCE) + robots)
        read = web.pages - pages
    seconds = sum(micros * times[micros] for micros in times) / 1e6
    return _row(RESEARCH_ROW, read, times) | {
        "requestsPerSecond": round(read / seconds, 1),
        "limitPerSecond": round(read / ideal, 1),
        "ratio": round(ideal / seconds, 3),
        "sections": sections,
        "findings": found,
        "searches": web.searches - searches,
        "seconds": round(seconds, 2),
        "idealSeconds": round(ideal, 2),
    }


async def measure_pages(pages: int) -> dict[str, Any]:
    """The row: pages a second that one worker reads, and its memory with its processes after a tenth and at the end."""
    times: Counter[int] = Counter()
    async with _open_web(0.0) as web, _open_reader() as reader:
        numbers, memory = iter(range(pages)), []
        started = time.perf_counter()

        async def read_some() -> None:
            for number in numbers:
                began = time.perf_counter()
                try:
                    await reader.read(web.url(number))
                except PageUnavailable as refusal:
                    raise RuntimeError(f"{web.url(number)}: {refusal.reason}") from None
                times[int((time.perf_counter() - began) * 1e6)] += 1
                if times.total() in (pages // 10, pages):
                    memory.append(_memory(reader))

        await asyncio.gather(*(read_some() for _ in range(READS_AT_ONCE)))
        seconds = time.perf_counter() - started
    return _row(PAGES_ROW, pages, times) | {
        "requestsPerSecond": round(pages / seconds, 1),
        "residentMegabytes": memory,
        "seconds": round(seconds, 2),
    }


def _row(name: str, size: int, times: Counter[int]) -> dict[str, Any]:
    return {
        "name": name,
        "size": size,
        "connections": READS_AT_ONCE,
        "processes": 1,
        "p50Ms": percentile(times, 50) / 1000,
        "p99Ms": percentile(times, 99) / 1000,
        "limitPerSecond": None,
        "ratio": None,
    }


def _memory(reader: WebReader) -> list[int]:
    """Of this process, and of the largest that reads pages."""
    readers = [resident_megabytes(process.pid) for process in reader.extractor.idle_processes]
    return [resident_megabytes(os.getpid()), max(readers, default=0)]


def _section(number: int) -> Section:
    return Section(
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
