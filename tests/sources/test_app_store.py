"""Reading the app store: its formats, its pages, its failures, and how often it is asked."""

import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sightline.sources.app_store.pacing import StorePacing
from sightline.sources.app_store.store import AppStore, StoreUnavailable, is_local
from tests.sources.storefront import Json, Storefront, app, opened, review


@pytest_asyncio.fixture
async def front() -> AsyncIterator[Storefront]:
    async with opened() as front:
        yield front


def of(front: Storefront) -> AppStore:
    return AppStore(front.url, pause=0.0)


async def test_search_gives_apps_of_the_storefront(front: Storefront) -> None:
    front.apps = [app(1, "Harvestly"), app(2, "Harvestly Pro", rating=4.658941234567), app(3, "Other")]
    found = await of(front).search("Harvestly", 5)
    assert [(one.id, one.name, one.publisher) for one in found] == [
        ("1", "Harvestly", "Maker Ltd"),
        ("2", "Harvestly Pro", "Maker Ltd"),
    ]
    assert (found[1].rating, found[1].rating_count) == (4.65894, 1_000)
    assert "country=us" in front.calls[0]
    assert "limit=5" in front.calls[0]


async def test_an_app_that_nobody_rated_has_no_rating(front: Storefront) -> None:
    front.apps = [app(1, "Harvestly", rating=0, count=0)]
    assert [(one.rating, one.rating_count) for one in await of(front).search("Harvestly", 5)] == [(None, 0)]


async def test_look_up_gives_the_apps_that_the_storefront_has(front: Storefront) -> None:
    front.apps = [app(1, "Harvestly"), app(2, "Other")]
    assert set(await of(front).look_up(["2", "3"])) == {"2"}


async def test_every_page_is_read_and_each_review_counts_once(front: Storefront) -> None:
    front.reviews["1"] = [review(n, f"Review {n}") for n in range(120)]
    front.reviews["1"].insert(60, review(3, "Review 3"))  # a page moved on while it was read
    found = await of(front).read_reviews("1")
    assert [one.id for one in found.found] == [str(n) for n in range(120)]
    assert (found.is_cut, found.failure) == (False, None)


async def test_five_hundred_are_all_that_the_store_gives(front: Storefront) -> None:
    front.reviews["1"] = [review(n, f"Review {n}") for n in range(700)]
    found = await of(front).read_reviews("1")
    assert (len(found.found), found.is_cut, len(front.calls)) == (500, True, 10)


@pytest.mark.parametrize("size", [200, 3_000])
async def test_no_more_are_read_of_a_store_with_larger_pages(front: Storefront, size: int) -> None:
    front.page_size = size
    front.reviews["1"] = [review(n, f"Review {n}") for n in range(3_000)]
    found = await of(front).read_reviews("1")
    assert ([one.id for one in found.found], found.is_cut) == ([str(n) for n in range(500)], True)


async def test_a_single_review_is_an_entry_without_a_list(front: Storefront) -> None:
    front.reviews["1"] = [review(5, "It\0 works.", stars=5)]
    [found] = (await of(front).read_reviews("1")).found
    assert (found.id, found.rating, found.title, found.body, found.version) == ("5", 5, "A title", "It works.", "2.1.0")
    assert found.submitted_at is not None
    assert found.url == "https://apps.example/us/review?id=7"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"im:rating": None}, []),
        ({"id": None}, []),
        ({"updated": {"label": "soon"}, "link": 3, "im:rating": {"label": "9"}}, [(None, None, None)]),
        ({"updated": None, "link": [[[]] * 5_000]}, [(4, None, None)]),
        ({"updated": None, "link": [{"attributes": {"href": "javascript:1"}}]}, [(4, None, None)]),
    ],
    ids=["the app itself", "no id", "odd values", "many links", "odd link"],
)
async def test_odd_entries_do_no_harm(front: Storefront, changes: Json, expected: list[object]) -> None:
    front.reviews["1"] = [{**review(1, "Fine."), **changes}]
    found = (await of(front).read_reviews("1")).found
    assert [(one.rating, one.submitted_at, one.url) for one in found] == expected


async def test_a_call_that_fails_once_is_repeated(front: Storefront) -> None:
    front.reviews["1"] = [review(1, "Fine.")]
    front.failures = [502]
    assert len((await of(front).read_reviews("1")).found) == 1


async def test_a_store_that_stays_down_is_unavailable(front: Storefront) -> None:
    front.failures = [503] * 9
    with pytest.raises(StoreUnavailable, match="503"):
        await of(front).read_reviews("1")
    assert len(front.calls) == 2


async def test_a_later_page_that_fails_leaves_the_newer_reviews(front: Storefront) -> None:
    front.reviews["1"] = [review(n, f"Review {n}") for n in range(120)]
    front.broken = ["page=2/"]
    found = await of(front).read_reviews("1")
    assert (len(found.found), found.failure) == (50, "The app store answered 502.")


async def test_an_answer_in_another_format_is_unavailable(front: Storefront) -> None:
    front.apps = [{"trackId": {}, "trackName": "Harvestly"}]
    with pytest.raises(StoreUnavailable, match="something else"):
        await of(front).search("Harvestly", 5)


async def test_calls_beyond_the_pace_wait() -> None:
    pacing = StorePacing(calls=2, seconds=0.4)
    started = time.monotonic()
    for _ in range(4):
        await pacing.wait()
    assert time.monotonic() - started >= 0.4


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:80", True),
        ("http://localhost:1", True),
        ("http://[::1]:1", True),
        ("https://s.example", False),
    ],
)
def test_only_a_store_on_this_machine_is_asked_without_pace(url: str, expected: bool) -> None:
    assert is_local(url) == expected
