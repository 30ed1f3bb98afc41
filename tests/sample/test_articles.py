"""The library of the demonstration: research about the sample's market finds what was written for it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.plans import PlanSection, SectionScope
from sightline.intelligence.research import PlanContext
from sightline.research.runs.search import SearchTools, Terms, search_section
from sightline.research.runs.search_result import SearchedSection
from sightline.sample.articles import write_articles
from sightline.sources.addresses import host_of
from sightline.sources.library.library import Library
from sightline.sources.search import SearchQuery

NOW = datetime.now(UTC)  # a page is not dated later than its reading
RESEARCHER = EmbeddedResearcher()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """One for all tests, which only search it: each index takes a process that reads the articles."""
    place = tmp_path_factory.mktemp("articles")
    write_articles(place / "library", NOW)
    return Library(place / "library", place / "index.sqlite3", update_seconds=100.0, wait_seconds=120.0)


async def search(library: Library, question: str) -> list[tuple[PlanSection, SearchedSection]]:
    """Everything a plan for the question finds, section by section."""
    definition = (await RESEARCHER.plan(question, PlanContext())).definition
    terms = Terms(research_mode="recent", since=NOW - timedelta(days=30), until=NOW, target=3)
    tools = SearchTools(RESEARCHER, library, library)
    return [(one, await search_section(one, terms, tools, known={})) for one in definition.sections]


async def test_every_article_is_read_and_leads_nowhere(library: Library) -> None:
    found = await library.search(SearchQuery(text="bike workshop rider software museum Rad", limit=100))
    assert found.warnings == []
    pages = [await library.read(hit.url) for hit in found.hits]
    assert len(pages) == 22
    assert all((host_of(page.url) or "").endswith(".example") for page in pages)
    assert all(page.publisher and page.title and len(page.text) > 150 for page in pages)
    assert sum(page.published is None for page in pages) == 2
    assert {page.language for page in pages} == {"en", "de"}


async def test_dates_are_counted_back_from_today(library: Library) -> None:
    await library.search(SearchQuery(text="estimate"))
    page = await library.read("https://trade-review.example/workshops/yes-by-text")
    assert page.published is not None
    assert page.published.moment.date() == (NOW - timedelta(days=6)).date()


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How do bike workshops get customers to approve estimates?", "Workshops get their yes by text message"),
        ("Why do riders complain about deposits on rental bikes?", "Riders complain about deposits that stay blocked"),
        ("What rules apply to batteries of electric bike fleets?", "New rules ask fleets for a yearly battery check"),
        ("What do Ravelo Works and Spindlebay charge?", "Spindlebay raises its prices and drops the free plan"),
        ("How do fleets stop riders from using old lock codes?", "Lock codes that expire stop free rides"),
        ("Which parts are late at suppliers?", "Late parts push repairs back by a week"),
    ],
)
async def test_a_question_about_the_market_finds_its_article(library: Library, question: str, title: str) -> None:
    found = [finding for _, section in await search(library, question) for finding in section.findings]
    assert title in [one.title for one in found]
    assert "The harbour museum opens its winter exhibition" not in [one.title for one in found]


async def test_undated_and_old_articles_are_left_to_a_baseline(library: Library) -> None:
    question = "What is the biggest complaint about the telephone?"
    recent = [finding.published_at for _, section in await search(library, question) for finding in section.findings]
    assert all(recent)
    section = PlanSection(
        id=uuid4(),
        name="Software",
        type="market",
        objective="Find it.",
        questions=[question],
        topic="telephone",
    )
    terms = Terms(research_mode="baseline", since=NOW - timedelta(days=30), until=NOW, target=3)
    found = await search_section(section, terms, SearchTools(RESEARCHER, library, library), known={})
    assert None in [one.published_at for one in found.findings]


async def test_the_german_article_answers_a_german_section(library: Library) -> None:
    section = PlanSection(
        id=uuid4(),
        name="Freigabe",
        type="market",
        objective="Wie Kunden freigeben.",
        questions=["Wie kommt die Freigabe für einen Kostenvoranschlag?"],
        topic="Freigabe Kostenvoranschlag",
        scope=SectionScope(languages=["German"]),
    )
    terms = Terms(research_mode="recent", since=NOW - timedelta(days=30), until=NOW, target=3)
    found = await search_section(section, terms, SearchTools(RESEARCHER, library, library), known={})
    assert [one.title for one in found.findings] == ["Kettensteg Flotte rechnet Diensträder ab"]


def test_a_library_that_is_there_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    folder.mkdir()
    write_articles(folder, NOW)
    assert list(folder.iterdir()) == []
