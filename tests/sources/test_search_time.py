"""What a section keeps of its search when the time is up."""

from uuid import uuid4

from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.plans import PlanSection
from sightline.research.runs.search import READS_AT_ONCE, Budget, SearchTools, Terms, search_section
from sightline.sources.pages import IsAllowed, Page, everywhere
from tests.sources.shelf import SINCE, UNTIL, Shelf, page
from tests.waiting import hang

SAYS = "Workshops get the customer's approval of an estimate by text message, within an hour of sending it."
SECTION = PlanSection(
    id=uuid4(),
    name="Approval",
    type="market",
    objective="Find how workshops ask for approval.",
    questions=["How do workshops get a customer's approval of an estimate?"],
)
TERMS = Terms(research_mode="recent", since=SINCE, until=UNTIL, target=3)


async def test_pages_that_were_read_when_the_time_is_up_are_judged() -> None:
    pages = [page(f"https://{name}.example/", SAYS) for name in "abcdef"]
    shelf = Shelf(pages)

    class Stuck(Shelf):
        async def read(self, url: str, is_allowed: IsAllowed = everywhere) -> Page:
            if len(shelf.read_urls) >= READS_AT_ONCE:
                await hang()
            return await shelf.read(url, is_allowed)

    found = await search_section(
        SECTION, TERMS, SearchTools(EmbeddedResearcher(), shelf, Stuck(pages)), known={},
        budget=Budget(seconds=1.0, patience=50.0),
    )  # fmt: skip
    assert found.findings
    assert "The time for this section was used up." in found.warnings
