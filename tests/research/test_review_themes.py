"""What new reviews raise: the terms that stand out, with the stars of the reviews that have them."""

import random
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

import pytest
import pytest_asyncio

from sightline.research.app_reviews.themes import AppThemes, ReadReview, themes_of
from tests.research.shop import HARVESTLY, SPROUT, Shop, read
from tests.sources.storefront import Storefront, review
from tests.world import serving

FILLER = (
    "I use it every morning before the market opens",
    "My brother showed me this and we both like the colours",
    "Great app, easy to use",
    "The map of my garden is simple",
    "Prices went up again this spring",
    "It helps me plan the beds",
)


@pytest_asyncio.fixture(scope="module")
async def served(database_url: str, front: Storefront) -> AsyncIterator[str]:
    async with serving(database_url, app_store_url=front.url) as address:
        yield address


def told(app: str, texts: Sequence[tuple[str, int]], *, start: int = 0, is_new: bool = True) -> list[ReadReview]:
    return [
        ReadReview(UUID(int=n), app, f"{app} - Plan your garden", float(stars), text, is_new)
        for n, (text, stars) in enumerate(texts, start)
    ]


def filled(count: int, *, seed: int) -> list[tuple[str, int]]:
    dice = random.Random(seed)
    return [(f"{dice.choice(FILLER)}. {dice.choice(FILLER)}.", 4) for _ in range(count)]


def themes_of_app(reviews: Sequence[ReadReview]) -> AppThemes:
    [found] = themes_of(["Harvestly"], reviews)
    return found


def raised(found: AppThemes) -> dict[str, tuple[int, float | None]]:
    return {one.theme: (one.count, one.average_rating) for one in found.themes}


OTHERS = told("Sprout", filled(60, seed=1), start=1_000)


def test_terms_that_stand_out_against_other_apps_are_themes() -> None:
    texts = [(f"{text} The offline mode fails.", 1) for text, _ in filled(12, seed=2)] + filled(30, seed=3)
    found = themes_of_app([*told("Harvestly", texts), *OTHERS])
    assert (found.new_reviews, found.is_compared) == (42, True)
    assert raised(found)["offline mode"] == (12, 1.0)
    assert found.themes[0].record_ids == [UUID(int=n) for n in range(12)]


def test_what_all_apps_share_is_a_theme_of_each() -> None:
    apps = ("Harvestly", "Sprout", "Growbook")
    texts = [("Sync crashes every time", 1)] * 12
    reviews = [one for n, app in enumerate(apps) for one in told(app, texts + filled(12, seed=20 + n), start=1_000 * n)]
    for found in themes_of(apps, reviews):
        assert raised(found)["sync crashes"] == (12, 1.0)


def test_what_sets_an_app_apart_comes_before_what_all_share() -> None:
    texts = [("The offline mode fails. Sync crashes", 1)] * 8 + [("Sync crashes", 1)] * 4 + filled(12, seed=2)
    others = told("Sprout", [("Sync crashes", 1)] * 30 + filled(30, seed=1), start=1_000)
    themes = [one.theme for one in themes_of_app([*told("Harvestly", texts), *others]).themes]
    assert themes.index("offline mode") < themes.index("sync crashes")


def test_what_few_reviews_of_each_app_say_is_no_theme() -> None:
    texts = [("The ladder is fine", 3)] * 3 + filled(47, seed=2)
    others = told("Sprout", [("The ladder is fine", 3)] * 3 + filled(47, seed=1), start=1_000)
    assert "ladder" not in raised(themes_of_app([*told("Harvestly", texts), *others]))


def test_forms_of_a_word_are_one_theme_in_its_commonest_form() -> None:
    forms = ["syncing", "syncing", "synced", "syncs", "syncing"]
    texts = [(f"It has stopped, {form}, all the time", 2) for form in forms] + filled(30, seed=4)
    assert raised(themes_of_app([*told("Harvestly", texts), *OTHERS]))["syncing"] == (5, 2.0)


def test_a_word_gives_way_to_the_pair_that_explains_it() -> None:
    texts = [("The dark mode hurts my eyes", 3)] * 8 + filled(30, seed=5)
    themes = raised(themes_of_app([*told("Harvestly", texts), *OTHERS]))
    assert "dark mode" in themes
    assert not {"dark", "mode"} & themes.keys()


def test_words_that_judge_and_the_name_of_the_app_are_no_themes() -> None:
    texts = [("Harvestly is awesome. I love Harvestly! Best app ever.", 5)] * 25
    assert raised(themes_of_app([*told("Harvestly", texts), *OTHERS])) == {}


def test_few_new_reviews_have_counts_only() -> None:
    texts = [("The widget crashes", 1)] * 3 + [("Where is the calendar", 2)]
    found = themes_of_app([*told("Harvestly", texts), *OTHERS])
    assert raised(found) == {"widget crashes": (3, None)}


def test_only_new_reviews_count() -> None:
    old = told("Harvestly", [("The widget crashes", 1)] * 30, is_new=False)
    new = told("Harvestly", [("Nothing changed here", 1)], start=500)
    found = themes_of_app([*old, *new])
    assert (found.new_reviews, found.themes) == (1, [])


def test_without_other_reviews_the_most_frequent_terms_are_themes() -> None:
    texts = [(f"The checkout hangs. {text}", 1) for text, _ in filled(25, seed=6)]
    found = themes_of_app(told("Harvestly", texts))
    assert not found.is_compared
    assert found.themes[0].theme == "checkout hangs"


@pytest.mark.parametrize("text", ["", "!!! ??? 123", "\u4f60\u597d\u4e16", "a" * 5_000, "\U0001f600 \u0301"])
def test_any_text_is_read(text: str) -> None:
    found = themes_of_app([*told("Harvestly", [(text, 3)] * 25), *OTHERS])
    assert found.new_reviews == 25


async def test_the_themes_of_a_run_name_its_records(shop: Shop) -> None:
    shop.front.reviews = {
        HARVESTLY: [review(n, text, stars=1, days=n) for n, text in enumerate(["The offline mode fails"] * 9, 1)]
        + [review(n, text, days=n) for n, (text, _) in enumerate(filled(20, seed=7), 100)],
        SPROUT: [review(n, text, days=n) for n, (text, _) in enumerate(filled(40, seed=8), 1)],
    }
    run = await shop.lab.searched(reads=[read(HARVESTLY, "Harvestly"), read(SPROUT, "Sprout")])
    shown = (await shop.view(run))["reviewThemes"]
    assert [(one["externalId"], one["label"], one["newReviews"]) for one in shown] == [
        (HARVESTLY, "Harvestly", 29),
        (SPROUT, "Sprout", 40),
    ]
    theme = next(one for one in shown[0]["themes"] if one["theme"] == "offline mode")
    assert (theme["count"], theme["averageRating"]) == (9, 1.0)
    items = (await shop.view(run, "records", limit=50))["items"]
    quoted = {one["id"]: one["body"] for one in items}
    assert all("offline mode" in quoted[id] for id in theme["recordIds"])
    assert theme.keys() == {"theme", "count", "averageRating", "recordIds"}


async def test_the_end_of_a_very_long_review_counts_for_nothing(shop: Shop) -> None:
    texts = [f"The offline mode fails. {'so ' * 3_000} The printer burns." for _ in range(9)]
    shop.front.reviews[HARVESTLY] = [review(n, text, days=n) for n, text in enumerate(texts, 1)]
    run = await shop.lab.searched(reads=[read()])
    [shown] = (await shop.view(run))["reviewThemes"]
    themes = [one["theme"] for one in shown["themes"]]
    assert "offline mode" in themes
    assert not any("printer" in theme for theme in themes)


async def test_only_what_is_new_since_the_previous_run_is_counted(shop: Shop) -> None:
    shop.front.reviews[HARVESTLY] = [review(n, text, days=n) for n, (text, _) in enumerate(filled(40, seed=9), 30)]
    run = await shop.lab.searched(reads=[read()])
    assert "its most frequent terms" in await shop.summary(run)
    new = [review(n, "The offline mode fails", stars=1, days=n / 100) for n in range(1, 26)]
    shop.front.reviews[HARVESTLY] = [*new, *shop.front.reviews[HARVESTLY]]
    second = await shop.again(run)
    [shown] = (await shop.view(second))["reviewThemes"]
    assert shown["newReviews"] == 25
    themes = {one["theme"]: one["count"] for one in shown["themes"]}
    assert themes == {"offline mode": 25, "title": 25}, "every review has the title"
    assert "its most frequent terms" not in await shop.summary(second)
