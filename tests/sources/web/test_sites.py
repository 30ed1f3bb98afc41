"""Sites of competitors: their feeds, site maps and front pages, beside what a provider finds."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio

from sightline.sources.search import SearchFailed, SearchPage, SearchQuery
from sightline.sources.web.reader import WebReader
from sightline.sources.web.sites import Sites, WithSites
from tests.sources.shelf import Shelf, page
from tests.sources.web.loopback import Host, hosting, http, reading, redirect
from tests.waiting import hang

SINCE = datetime(2026, 10, 1, tzinfo=UTC)
FRONT = """<html><head><title>Ravelo</title>{head}</head><body><a href="/pricing">Pricing of estimates</a>
<a href="/team">Team</a> <a href="https://elsewhere.example/estimates">Estimates elsewhere</a>
<a href="mailto:x@ravelo.example">Estimates by mail</a> <a href="http://[">Estimates nowhere</a>
<a href="/pricing#top">Estimates again</a></body></html>"""
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<item><title>Estimates by text</title><link>/news/1</link><pubDate>Thu, 05 Nov 2026 10:00:00 GMT</pubDate></item>
<item><title>Estimates of old</title><link>/news/2</link><pubDate>Thu, 05 Nov 2020 10:00:00 GMT</pubDate></item>
<item><title>A party</title><link>/news/3</link><description>&lt;p&gt;With cake&lt;/p&gt;</description></item>
<item><title>Without estimates of a link</title></item>
<item><title>Estimates nowhere</title><link>http://[::1</link></item></channel></rss>"""
MAP = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>{host}/blog/how-estimates-work</loc><lastmod>2026-11-03</lastmod></url>
<url><loc>{host}/blog/old-estimates</loc><lastmod>2020-01-01</lastmod></url>
<url><loc>http://[zz]/estimates</loc></url><url><loc>{host}/imprint</loc></url></urlset>"""


@pytest_asyncio.fixture(scope="module")
async def reader() -> AsyncIterator[WebReader]:
    async with reading() as made:
        yield made


@pytest_asyncio.fixture
async def host() -> AsyncIterator[Host]:
    async with hosting({"/": http(FRONT.format(head=""))}) as made:
        yield made


async def search(reader: WebReader, *sites: str, shelf: Shelf | None = None, **filters: Any) -> SearchPage:
    provider = WithSites(shelf or Shelf([]), reader)
    return await provider.search(SearchQuery(text="estimates by text", sites=sites, **filters))


def paths(found: SearchPage, host: Host) -> list[str]:
    return [hit.url.removeprefix(host.url) for hit in found.hits]


async def test_a_front_page_leads_to_its_own_pages(reader: WebReader, host: Host) -> None:
    found = await search(reader, host.url)
    assert paths(found, host) == ["/pricing", "/"]
    assert {hit.provider for hit in found.hits} == {"site"}
    assert found.warnings == []


async def test_a_feed_of_the_site_comes_with_its_dates(reader: WebReader, host: Host) -> None:
    link = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    host.answers |= {"/": http(FRONT.format(head=link)), "/feed": http(FEED, media_type="application/rss+xml")}
    assert paths(await search(reader, host.url), host) == ["/news/1", "/news/2", "/pricing", "/"]
    recent = await search(reader, host.url, since=SINCE)
    assert paths(recent, host) == ["/news/1", "/pricing", "/"]


async def test_a_website_may_be_a_feed(reader: WebReader, host: Host) -> None:
    host.answers["/feed"] = http(FEED, media_type="text/xml")
    assert paths(await search(reader, f"{host.url}/feed", since=SINCE), host) == ["/news/1", "/feed"]


ODD_ENTRIES = ["<pubDate>9999-12-31T23:59:59-14:00</pubDate>", "<description>&#xD800;&#99999999999;</description>",
    "<description>&lt;html hidden&gt;&lt;body&gt;a&lt;/body&gt;&lt;body&gt;b</description>"]  # fmt: skip


@pytest.mark.parametrize("odd", ODD_ENTRIES)
async def test_an_odd_entry_of_a_feed_hides_no_other(reader: WebReader, host: Host, odd: str) -> None:
    entry = f"<item><title>Odd estimates</title><link>/news/0</link>{odd}</item>"
    host.answers["/feed"] = http(FEED.replace("<item>", f"{entry}<item>", 1), media_type="text/xml")
    assert {"/news/0", "/news/1"} <= set(paths(await search(reader, f"{host.url}/feed", since=SINCE), host))


async def test_a_site_map_lists_what_a_front_page_does_not(reader: WebReader, host: Host) -> None:
    index = f"<sitemapindex><sitemap><loc>{host.url}/map-1.xml</loc></sitemap></sitemapindex>"
    host.answers |= {"/sitemap.xml": http(index), "/map-1.xml": http(MAP.format(host=host.url))}
    found = await search(reader, host.url, since=SINCE)
    assert paths(found, host) == ["/blog/how-estimates-work", "/pricing", "/"]


async def test_a_site_is_listed_once_for_all_queries(reader: WebReader, host: Host) -> None:
    provider = WithSites(Shelf([]), reader)
    for text in ("estimates", "prices", "estimates"):
        await provider.search(SearchQuery(text=text, sites=(host.url,)))
    assert host.paths.count("/") == 1


async def test_domains_hold_for_sites_too(reader: WebReader, host: Host) -> None:
    assert (await search(reader, host.url, domains=("trade.example",))).hits == []
    assert (await search(reader, host.url, excluded_domains=("127.0.0.1",))).hits == []
    assert host.requests == []


async def test_no_redirect_of_a_site_leads_out_of_the_scope(reader: WebReader, host: Host) -> None:
    async with hosting({"/": http(FRONT.format(head=""))}, "127.0.0.4") as other:
        host.answers["/"] = redirect(f"{other.url}/")
        await search(reader, host.url, excluded_domains=("127.0.0.4",))
        assert other.requests == []


@pytest.mark.parametrize("site", ["http://127.0.0.1:1/", "10.0.0.1", "no address", "file:///etc/passwd"])
async def test_a_site_that_cannot_be_read_is_a_warning(reader: WebReader, site: str) -> None:
    shelf = Shelf([page("https://trade.example/a", "Estimates by text are common.")])
    found = await search(reader, site, shelf=shelf)
    assert [hit.url for hit in found.hits] == ["https://trade.example/a"]
    [warning] = found.warnings
    assert "of a competitor" in warning


async def test_a_list_that_never_comes_leaves_the_front_page(reader: WebReader, host: Host) -> None:
    host.answers["/sitemap.xml"] = hang
    await reader.list_site(f"{host.url}/")  # the process runs from now on
    found = await Sites(reader, seconds=3.0).search(SearchQuery(text="estimates", sites=(host.url,)))
    assert paths(found, host) == ["/pricing", "/"]
    assert found.warnings == [f"The website {host.url}/ of a competitor was not read wholly: it took too long."]


BROKEN = {
    "bomb": '<!DOCTYPE l [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>',
    "no site map": "<urlset",
    "deep": "<urlset>" + "<url>" * 50_000,
    "feed without an end": "<rss><channel>" + "<item><title>" * 2_000,
    "feed of many": "<rss><channel>" + "<item><title>a</title></item>" * 25_000,
}


@pytest.mark.parametrize("name", BROKEN)
async def test_broken_lists_break_nothing(reader: WebReader, host: Host, name: str) -> None:
    host.answers["/sitemap.xml"] = http(BROKEN[name], media_type="text/xml")
    assert "/pricing" in paths(await search(reader, host.url), host)


async def test_hits_of_provider_and_sites_come_in_turn(reader: WebReader, host: Host) -> None:
    shelf = Shelf([page(f"https://trade.example/{n}", "Estimates by text.") for n in range(3)])
    found = await search(reader, host.url, shelf=shelf, limit=3)
    assert paths(found, host) == ["https://trade.example/0", "/pricing", "https://trade.example/1"]


async def test_sites_answer_where_a_provider_fails(reader: WebReader, host: Host) -> None:
    failing = Shelf([], [SearchFailed("It is down.")] * 2)
    found = await search(reader, host.url, shelf=failing)
    assert paths(found, host) == ["/pricing", "/"]
    assert found.warnings == ["A search failed: It is down."]
    with pytest.raises(SearchFailed, match="It is down"):
        await search(reader, shelf=failing)
