"""How ratings moved since the previous run of the same plan: only what the published figures allow to say."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sightline.research.app_reviews.scores import Published, moved_since
from sightline.sources.app_store.store import AppStore
from tests.research.lab import EXPORTS, section
from tests.research.shop import HARVESTLY, Shop, read
from tests.sources.storefront import Storefront, app
from tests.world import serving


@pytest_asyncio.fixture(scope="module")
async def served(database_url: str, front: Storefront) -> AsyncIterator[str]:
    async with serving(database_url, app_store_url=front.url) as address:
        yield address


def rated(shop: Shop, rating: float, count: int) -> None:
    shop.front.apps = [app(int(HARVESTLY), "Harvestly", rating=rating, count=count)]


async def test_the_first_run_shows_the_published_rating_only(shop: Shop) -> None:
    rated(shop, 4.25, 200)
    score = await shop.score(await shop.lab.searched(reads=[read()]))
    assert score.pop("observedAt").endswith("Z")
    assert score == {
        "externalId": HARVESTLY,
        "label": "Harvestly",
        "storeRating": 4.25,
        "ratingCount": 200,
        "ratingsSincePrevious": None,
        "meanSincePrevious": None,
        "reason": "first_run",
    }


async def test_a_later_run_shows_what_came_in_between(shop: Shop) -> None:
    rated(shop, 4.0, 200)
    shop.front.apps[0]["averageUserRating"] = 4.12345
    run = await shop.lab.searched(reads=[read()])
    rated(shop, round((4.12345 * 200 + 2.5 * 20) / 220, 5), 220)
    score = await shop.score(await shop.again(run))
    assert (score["ratingsSincePrevious"], score["meanSincePrevious"], score["reason"]) == (20, 2.5, None)


async def test_another_plan_starts_anew(shop: Shop) -> None:
    rated(shop, 4.12345, 200)
    run = await shop.lab.searched(reads=[read()])
    brief = await shop.lab.brief(run["briefId"])
    new = shop.lab.new(section(EXPORTS), reads=[read()])
    new |= {"briefId": brief["id"], "expectedRowVersion": brief["rowVersion"]}
    answer = await shop.lab.run("start", **new)
    await shop.lab.search(answer.json()["run"])
    edited = await shop.lab.progress(brief["id"])
    assert (await shop.score(edited))["reason"] == "first_run"


async def test_another_storefront_is_not_compared(shop: Shop) -> None:
    rated(shop, 4.12345, 200)
    run = await shop.lab.searched(reads=[read()])
    shop.lab.store = AppStore(shop.front.url, "de", pause=0.0)
    rated(shop, 4.12345, 300)
    score = await shop.score(await shop.again(run))
    assert (score["ratingsSincePrevious"], score["reason"]) == (None, "different_storefront")


async def test_an_app_that_the_store_does_not_have_is_unavailable(shop: Shop) -> None:
    run = await shop.lab.searched(reads=[read()])
    score = await shop.score(run)
    assert (score["storeRating"], score["ratingCount"], score["reason"]) == (None, None, "unavailable")
    assert "The app store gave no rating of Harvestly." in await shop.summary(run)


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ((4.12345, 200), (4.12345, 200), (None, None, "unchanged")),
        ((4.12345, 200), (4.2, 199), (None, None, "count_decreased")),
        ((4.5, 5_000), (4.5, 5_050), (50, None, "precision")),
        ((4.51, 200), (4.42, 220), (20, None, "precision")),
        ((4.12345, 100), (1.00001, 110), (10, None, "precision")),
        ((None, 0), (4.5, 10), (10, 4.5, None)),
        ((4.65894, 1_000_000), (4.65877, 1_002_000), (2_000, 4.57, None)),
        ((4.65894, 1_000_000), (None, 1_002_000), (2_000, None, "precision")),
        ((4.65894, 1_000_000), (4.65894, None), (None, None, "unavailable")),
        ((4.65894, None), (4.65894, 3), (None, None, "first_run")),
    ],
)
def test_a_mean_is_given_where_rounding_allows_it(
    before: tuple[float | None, int | None],
    now: tuple[float | None, int | None],
    expected: tuple[int | None, float | None, str | None],
) -> None:
    assert moved_since(Published("us", *before), Published("us", *now)) == expected


@pytest.mark.parametrize(("decimals", "counts"), [(2, (500, 900)), (5, (40_000, 40_400))])
def test_a_mean_that_is_given_is_right_within_its_bound(decimals: int, counts: tuple[int, int]) -> None:
    first, added = counts[0], counts[1] - counts[0]
    given = 0
    for step in range(0, 400, 7):
        earlier, between = 1.00137 + step / 100, 5 - step / 100
        later = (earlier * first + between * added) / counts[1]
        moved = moved_since(
            Published("us", round(earlier, decimals), counts[0]), Published("us", round(later, decimals), counts[1])
        )
        given += moved.mean is not None
        assert moved.mean is None or abs(moved.mean - between) <= 0.055
    assert given > 40


async def test_scores_that_a_workspace_file_brought_do_no_harm(shop: Shop) -> None:
    rated(shop, 4.12345, 200)
    run = await shop.lab.searched(reads=[read()])
    odd = (
        '[3, {"externalId": "101", "ratingCount": "many"}, {"externalId": "101", "ratingCount": 1, "storeRating": "x"}]'
    )
    await shop.lab.sql("UPDATE research_runs SET scores = $2 WHERE workspace_id = $1 RETURNING id", odd.encode())
    assert [one["ratingCount"] for one in (await shop.view(run))["scores"]] == ["many", 1]
    assert (await shop.score(await shop.again(run)))["reason"] == "first_run"
