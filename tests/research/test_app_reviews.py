"""The reviews of a run: each once, without authors, in the sections that their read names; what is missing is said."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio

from tests.research.lab import EXPORTS, FORECASTS, Json, exports, section
from tests.research.shop import HARVESTLY, SPROUT, Shop, read
from tests.sources.storefront import Storefront, app, review
from tests.waiting import until
from tests.world import serving


@pytest_asyncio.fixture(scope="module")
async def served(database_url: str, front: Storefront) -> AsyncIterator[str]:
    async with serving(database_url, app_store_url=front.url) as address:
        yield address


def reviews(count: int, start: int = 0, **changes: Any) -> list[Json]:
    """So many, the newest first."""
    ids = range(start, start + count)
    return [review(n, f"Review {n} of a sync that fails.", days=1_000 - n, **changes) for n in reversed(ids)]


async def records(shop: Shop, run: Json, **query: Any) -> tuple[list[Json], int]:
    shown = await shop.view(run, "records", **{"limit": 50, **query})
    return shown["items"], shown["pagination"]["total"]


async def test_reviews_are_records_without_their_authors(shop: Shop) -> None:
    shop.front.apps = [app(int(HARVESTLY), "Harvestly")]
    shop.front.reviews[HARVESTLY] = reviews(3)
    run = await shop.lab.searched(section(), exports(), reads=[read()])
    found, total = await records(shop, run)
    assert (run["status"], run["nativeReadCount"], total) == ("completed", 3, 3)
    assert [one["body"][:8] for one in found] == ["Review 2", "Review 1", "Review 0"]
    expected = {
        "connector": "mobile_store",
        "externalId": HARVESTLY,
        "label": "Harvestly",
        "rating": 4,
        "title": "A title",
        "body": "Review 2 of a sync that fails.",
        "version": "2.1.0",
        "storefront": "us",
        "url": "https://apps.example/us/review?id=7",
    }
    assert {name: found[0][name] for name in expected} == expected
    assert found[0].keys() - expected.keys() == {"id", "submittedAt"}
    assert found[0]["submittedAt"].endswith("Z")
    text = str([await shop.view(run), *found])
    assert "Secret Author" not in text


async def test_a_read_belongs_to_the_sections_it_names(shop: Shop) -> None:
    shop.front.reviews = {HARVESTLY: reviews(2), SPROUT: reviews(3, 10)}
    reads = [read(), read(SPROUT, "Sprout", EXPORTS)]
    run = await shop.lab.searched(section(), exports(), reads=reads)
    assert [one["recordCount"] for one in run["sections"]] == [2, 5]
    assert run["nativeReadCount"] == 5 == (await records(shop, run))[1]
    for id, count in ((FORECASTS, 2), (EXPORTS, 5)):
        assert (await records(shop, run, sectionId=id))[1] == count


async def test_a_read_may_name_some_of_the_sections(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = reviews(2)
    third = section("33333333-3333-4333-8333-333333333333")
    run = await shop.lab.searched(section(), exports(), third, reads=[read(HARVESTLY, "H", FORECASTS, EXPORTS)])
    assert [one["recordCount"] for one in run["sections"]] == [2, 2, 0]
    assert run["nativeReadCount"] == 2


async def test_a_review_has_the_same_id_in_every_run(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = reviews(2)
    run = await shop.lab.searched(reads=[read()])
    shop.front.reviews[HARVESTLY] = reviews(3)
    second = await shop.again(run)
    assert second["id"] != run["id"]
    (first, _), (later, _) = await records(shop, run), await records(shop, second)
    assert [one["id"] for one in later[1:]] == [one["id"] for one in first]


async def test_searching_again_adds_no_review_twice(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = reviews(2)
    await shop.lab.fail_all()
    run = await shop.lab.searched(reads=[read()])
    assert (run["status"], run["nativeReadCount"]) == ("failed", 2)
    shop.front.reviews[HARVESTLY] = reviews(4)
    shop.lab.shelf.failures = []
    calls = len(shop.front.calls)
    assert (await shop.lab.run("retry", briefId=run["briefId"], runId=run["id"])).status_code == 200
    await shop.lab.search(run)
    again = await shop.lab.progress(run["briefId"])
    assert (again["status"], again["nativeReadCount"]) == ("completed", 2)
    assert len(shop.front.calls) == calls, "what was read is not read again"


async def test_an_app_whose_reviews_were_unavailable_is_read_by_a_retry(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = reviews(2)
    shop.front.broken = ["customerreviews"]
    await shop.lab.fail_all()
    run = await shop.lab.searched(reads=[read()])
    assert (run["status"], run["nativeReadCount"]) == ("failed", 0)
    shop.front.broken, shop.lab.shelf.failures = [], []
    await shop.lab.run("retry", briefId=run["briefId"], runId=run["id"])
    await shop.lab.search(run)
    assert (await shop.lab.progress(run["briefId"]))["nativeReadCount"] == 2


async def test_older_reviews_are_said_to_be_unreachable(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = reviews(520)
    run = await shop.lab.searched(reads=[read()])
    assert run["nativeReadCount"] == 500 == (await records(shop, run))[1]
    assert "older reviews are unreachable" in await shop.summary(run)
    shop.front.reviews[HARVESTLY] = reviews(530)
    second = await shop.again(run)
    assert "unreachable" not in await shop.summary(second)
    [themes] = (await shop.view(second))["reviewThemes"]
    assert themes["newReviews"] == 10


async def test_reviews_that_come_into_reach_again_are_not_new(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = reviews(520)
    run = await shop.lab.searched(reads=[read()])
    shop.front.reviews[HARVESTLY] = [review(900, "A new one.", days=0), *reviews(520)[11:]]  # eleven were deleted
    [themes] = (await shop.view(await shop.again(run)))["reviewThemes"]
    assert themes["newReviews"] == 1


async def test_a_review_that_its_author_edits_is_not_new(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = reviews(3)
    run = await shop.lab.searched(reads=[read()])
    shop.front.reviews[HARVESTLY] = [review(1, "Edited.", days=0), *reviews(3)]
    second = await shop.again(run)
    [themes] = (await shop.view(second))["reviewThemes"]
    assert (themes["newReviews"], second["nativeReadCount"]) == (0, 3)


async def test_an_empty_feed_of_an_app_with_reviews_is_unavailable(shop: Shop) -> None:
    shop.front.apps = [app(int(HARVESTLY), "Harvestly")]
    shop.front.reviews[HARVESTLY] = reviews(3)
    run = await shop.lab.searched(reads=[read()])
    shop.front.reviews[HARVESTLY] = []
    second = await shop.again(run)
    assert (second["status"], second["nativeReadCount"]) == ("completed", 0)
    assert "The reviews of Harvestly are unavailable" in await shop.summary(second)
    shown = await shop.view(second)
    assert (shown["reviewThemes"], shown["scores"][0]["reason"]) == ([], "unchanged")
    shop.front.reviews[HARVESTLY] = reviews(5)
    [themes] = (await shop.view(await shop.again(second)))["reviewThemes"]
    assert themes["newReviews"] == 2, "since the run that read them"


async def test_an_empty_feed_of_a_rated_app_is_mentioned(shop: Shop) -> None:
    shop.front.apps = [app(int(HARVESTLY), "Harvestly", count=1_234)]
    run = await shop.lab.searched(reads=[read()])
    assert "gave no reviews of Harvestly in the storefront us, though it has 1234 ratings" in await shop.summary(run)


async def test_a_store_that_is_down_is_said_in_the_sections_of_the_app_only(shop: Shop) -> None:
    shop.front.failures = [503] * 50
    run = await shop.lab.searched(section(), exports(), reads=[read(HARVESTLY, "Harvestly", FORECASTS)])
    assert (run["status"], run["nativeReadCount"]) == ("completed", 0)
    assert "The reviews of Harvestly are unavailable: The app store answered 503." in await shop.summary(run)
    other = (await shop.lab.findings(run, EXPORTS))["answer"]["summary"]
    assert "Harvestly" not in other
    shown = await shop.view(run)
    assert shown["reviewThemes"] == []
    assert [(one["storeRating"], one["reason"]) for one in shown["scores"]] == [(None, "unavailable")]


async def test_one_app_that_fails_keeps_no_other_from_being_read(shop: Shop) -> None:
    shop.front.reviews = {HARVESTLY: reviews(2), SPROUT: reviews(3, 10)}
    shop.front.broken = [f"/id={HARVESTLY}/"]
    run = await shop.lab.searched(reads=[read(), read(SPROUT, "Sprout")])
    assert run["nativeReadCount"] == 3
    assert [one["label"] for one in (await shop.view(run))["reviewThemes"]] == ["Sprout"]


async def test_a_stopped_run_reads_nothing_more(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = reviews(2)
    run = (await shop.lab.start(reads=[read()]))["run"]
    await shop.lab.run("stop", briefId=run["briefId"], runId=run["id"])
    await shop.lab.search(run)
    stopped = await shop.lab.progress(run["briefId"])
    assert (stopped["status"], stopped["nativeReadCount"], shop.front.calls) == ("stopped", 0, [])


async def _is_running(shop: Shop, run: Json) -> bool:
    return bool(shop.front.calls) and (await shop.lab.progress(run["briefId"]))["status"] == "running"


async def _has_read(shop: Shop, run: Json) -> bool:
    return bool((await shop.lab.progress(run["briefId"]))["nativeReadCount"])


async def test_a_run_that_is_stopped_while_the_store_answers_keeps_nothing_of_it(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = reviews(2)
    shop.front.held = "page=1"
    run = (await shop.lab.start(reads=[read()]))["run"]
    searching = asyncio.create_task(shop.lab.search(run))
    await until(lambda: _is_running(shop, run))
    await shop.lab.run("stop", briefId=run["briefId"], runId=run["id"])
    await searching
    stopped = await shop.lab.progress(run["briefId"])
    assert (stopped["status"], stopped["nativeReadCount"]) == ("stopped", 0)
    assert not [call for call in shop.front.calls if "page=2" in call]


async def test_an_interrupted_run_goes_on_with_the_next_app(shop: Shop) -> None:
    shop.front.reviews = {HARVESTLY: reviews(2), SPROUT: reviews(3, 10)}
    shop.front.held = f"/id={SPROUT}/"
    run = (await shop.lab.start(reads=[read(), read(SPROUT, "Sprout")]))["run"]
    searching = asyncio.create_task(shop.lab.search(run))
    await until(lambda: _has_read(shop, run))
    searching.cancel()
    await asyncio.gather(searching, return_exceptions=True)
    calls = len(shop.front.calls)
    shop.front.held = None
    await shop.lab.search(run)
    ended = await shop.lab.progress(run["briefId"])
    assert (ended["status"], ended["nativeReadCount"]) == ("completed", 5)
    assert not [call for call in shop.front.calls[calls:] if f"/id={HARVESTLY}/" in call]
    assert [one["newReviews"] for one in (await shop.view(run))["reviewThemes"]] == [2, 3]


async def test_records_are_not_delivered(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = reviews(3)
    run = await shop.lab.searched(reads=[read()])
    found = len((await shop.lab.findings(run))["items"])
    assert found
    assert (await shop.lab.add(run)).status_code == 200
    await shop.lab.deliver(run)
    addition = (await shop.lab.progress(run["briefId"]))["addition"]
    assert (addition["status"], len(addition["signalIds"])) == ("completed", found)
    signals = (await shop.lab.client.get("/signals", params={"limit": 50, "include": "raw"})).text
    assert "a sync that fails" not in signals
