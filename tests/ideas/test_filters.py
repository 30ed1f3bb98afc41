"""GET /ideas: filters, which all have to hold."""

from uuid import uuid4

import pytest

from tests.ideas.acme import Acme, refused
from tests.ideas.test_listing import imported


async def names(acme: Acme, **query: str) -> list[str]:
    listed = [idea["name"] for idea in await acme.list(**query)]
    assert await acme.total(**query) == len(listed)
    return listed


@pytest.fixture(autouse=True)
async def _four_ideas(acme: Acme) -> None:
    parts = [
        {"sourceKey": "desk", "externalId": "1"},
        {"sourceKey": "desk", "externalId": "2", "integration": "jira"},
        {"sourceKey": "mail", "externalId": "1", "integration": "forms"},
        {},
    ]
    ideas = [{**idea, **more, "updatedAt": idea["createdAt"]} for idea, more in zip(imported(4), parts, strict=True)]
    await acme.world.add_earlier(ideas=ideas)


async def test_by_source_key(acme: Acme) -> None:
    assert await names(acme, sourceKey="desk") == ["Idea 1", "Idea 0"]


async def test_by_external_id(acme: Acme) -> None:
    assert await names(acme, externalId="1") == ["Idea 2", "Idea 0"]


async def test_by_integration_in_any_letter_case(acme: Acme) -> None:
    jira = acme.integrations["jira"]
    assert await names(acme, integrationId=jira) == await names(acme, integrationId=jira.upper()) == ["Idea 1"]


async def test_filters_all_have_to_hold(acme: Acme) -> None:
    assert await names(acme, sourceKey="desk", externalId="1") == ["Idea 0"]
    assert await names(acme, sourceKey="desk", integrationId=acme.integrations["forms"]) == []
    assert await names(acme, sourceKey="desk", q="1") == ["Idea 1"]


async def test_a_source_key_matches_exactly(acme: Acme) -> None:
    for key in ["DESK", "des", "desk ", "%", "nobody's"]:
        assert await names(acme, sourceKey=key) == []
        assert await names(acme, externalId=key) == []


async def test_an_unknown_integration_gives_an_empty_page(acme: Acme) -> None:
    assert await names(acme, integrationId=str(uuid4())) == []


async def test_a_foreign_integration_gives_an_empty_page(acme: Acme) -> None:
    async with acme.world.stranger() as stranger:
        await stranger.add(integrations=[{"key": "theirs", "kind": "jira", "name": "Theirs"}])
        assert await names(acme, integrationId=(await stranger.ids("integrations"))["theirs"]) == []


async def test_a_malformed_integration_is_refused(acme: Acme) -> None:
    for shapeless in ["", "jira", "123", "a" * 32]:
        answer = await acme.client.get("/ideas", params={"integrationId": shapeless})
        refused(answer, 400, "VALIDATION_FAILED", "integrationId")


async def test_a_parameter_with_nul_is_refused(acme: Acme) -> None:
    for name in ["sourceKey", "externalId", "q", "include"]:
        refused(await acme.client.get(f"/ideas?{name}=a%00b"), 400, "VALIDATION_FAILED", name)


async def test_a_query_that_is_no_text_is_refused(acme: Acme) -> None:
    refused(await acme.client.get("/ideas?q=%FF"), 400, "VALIDATION_FAILED")


async def test_words_are_found_in_name_and_description(acme: Acme) -> None:
    exports = await acme.create(name="Faster exports", description="Analysts wait for minutes.")
    await acme.create(name="Analysts", description="Nothing else.")
    assert [idea["id"] for idea in await acme.list(q="analysts exports")] == [exports["id"]]


@pytest.mark.parametrize("q", ["excel", "CSV/Excel", "1.3", "tls-1.3", "docs.test", "faq"])
async def test_words_that_are_joined_are_found(acme: Acme, q: str) -> None:
    await acme.create(name="CSV/Excel over TLS-1.3", description="See https://docs.test/faq.")
    assert await names(acme, q=q) == ["CSV/Excel over TLS-1.3"]


async def test_words_are_found_in_any_letter_case_and_order(acme: Acme) -> None:
    await acme.create(name="Caf\u00e9 Menu", description="For Z\u00fcrich.")
    assert await names(acme, q="Z\u00dcRICH caf\u00c9") == ["Caf\u00e9 Menu"]


async def test_a_word_that_was_renamed_away_is_not_found(acme: Acme) -> None:
    await acme.create(sourceKey="s", externalId="e", name="Walrus", description="One")
    await acme.create(sourceKey="s", externalId="e", name="Otter", description="Two")
    assert (await names(acme, q="walrus"), await names(acme, q="otter")) == ([], ["Otter"])


async def test_any_text_may_be_searched_for(acme: Acme) -> None:
    for q in ["'", '"', "a & | ! b:*", "\\", "%", "$z", "(((", "<->", "x" * 1000]:
        assert await names(acme, q=q) == []


async def test_changes_are_listed_oldest_change_first(acme: Acme) -> None:
    created = await acme.create(name="New one")
    await acme.world.add_earlier(
        ideas=[
            {"key": "old", "name": "Old", "description": "d", "createdAt": "2021-08-01", "updatedAt": "2021-09-03"},
            {"key": "new", "name": "New", "description": "d", "createdAt": "2021-08-02", "updatedAt": "2021-09-02"},
        ]
    )
    assert await names(acme, updatedSince="2021-09-01") == ["New", "Old", created["name"]]
    assert await names(acme, updatedSince=created["updatedAt"]) == ["New one"]


async def test_a_client_that_sends_the_latest_change_misses_nothing(acme: Acme) -> None:
    await acme.create(name="First", sourceKey="desk", externalId="first")
    [*_, last] = await acme.list(updatedSince="2000-01-01", limit="100")
    await acme.create(name="Second")
    await acme.create(name="First again", sourceKey="desk", externalId="first")
    assert (await names(acme, updatedSince=last["updatedAt"]))[-2:] == ["Second", "First again"]


async def test_a_time_may_be_written_in_many_ways(acme: Acme) -> None:
    for moment in [
        "2021-01-03",
        "2021-01-03T00:00",
        "2021-01-03T00:00:00Z",
        "2021-01-03T00:00:00.000Z",
        "2021-01-03T02:00:00+02:00",
        "2021-01-02T22:30:00-01:30",
        "2021-01-03T02:00:00 02:00",
    ]:
        assert await names(acme, updatedSince=moment) == ["Idea 2", "Idea 3"]
        assert await names(acme, updatedSince="2021-01-03T00:00:00.001Z") == ["Idea 3"]


async def test_other_texts_are_not_times(acme: Acme) -> None:
    for wrong in ["", "yesterday", "1609632000", "2021-13-01", "2021-02-30", "2021-01-03T25:00", "03.01.2026"]:
        answer = await acme.client.get("/ideas", params={"updatedSince": wrong})
        refused(answer, 400, "VALIDATION_FAILED", "updatedSince")


async def test_times_far_away_never_fail(acme: Acme) -> None:
    for moment in ["0001-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "9999-12-31"]:
        answer = await acme.client.get("/ideas", params={"updatedSince": moment})
        assert answer.status_code in (200, 400)


async def test_a_parameter_given_twice_is_refused_or_read_once(acme: Acme) -> None:
    for name in ["sourceKey", "q", "limit", "updatedSince"]:
        answer = await acme.client.get(f"/ideas?{name}=1&{name}=2")
        assert answer.status_code in (200, 400)
