"""Who a person is, and which accounts they belong to."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from sightline.imports import Import, ListReader
from tests.imports.loading import json_lines, load, opened
from tests.portal.product import PortalWorld
from tests.waiting import until_blocked


async def signed_in(world: PortalWorld, **others: Any) -> UUID:
    """The person's id after a sign-in with these claims."""
    async with world.browser() as browser:
        await world.sign_in(browser, **others)
    id: UUID = await world.value(
        "SELECT id FROM portal_users WHERE workspace_id = $1 ORDER BY last_seen_at DESC NULLS LAST, id DESC LIMIT 1"
    )
    return id


async def accounts(world: PortalWorld, person: UUID) -> list[str]:
    """The names of the person's accounts in the order of the claims."""
    rows = await world.rows(
        """SELECT a.name FROM portal_user_accounts l
             JOIN accounts a ON a.workspace_id = l.workspace_id AND a.id = l.account_id
            WHERE l.workspace_id = $1 AND l.user_id = $2 ORDER BY l.link""",
        person,
    )
    return [row["name"] for row in rows]


async def test_the_subject_comes_first_and_takes_a_changed_email_along(world: PortalWorld) -> None:
    first = await signed_in(world, sub="u-1", email="bo@globex.test")
    again = await signed_in(world, sub="u-1", email="bo.lee@globex.test", first_name="Robert")
    assert first == again
    [person] = await world.rows("SELECT email, first_name, subject FROM portal_users WHERE workspace_id = $1")
    assert tuple(person) == ("bo.lee@globex.test", "Robert", "u-1")


async def test_the_same_email_with_another_subject_is_another_person(world: PortalWorld) -> None:
    one = await signed_in(world, sub="u-1", email="office@globex.test")
    other = await signed_in(world, sub="u-2", email="office@globex.test")
    assert one != other
    assert await signed_in(world, email="OFFICE@globex.test") == other, "without a subject: the one seen last"


async def test_a_person_known_by_email_only_gets_the_first_subject(world: PortalWorld) -> None:
    one = await signed_in(world, email="bo@globex.test")
    assert await signed_in(world, email="bo@globex.test", sub="u-1") == one
    assert await signed_in(world, email="bo@globex.test", sub="u-2") != one


async def test_a_voter_of_an_import_is_the_person_who_signs_in_later(world: PortalWorld) -> None:
    """With a subject, and by an address in other letters; the vote is theirs, and a further import adds no one."""
    rows = b"External ID,Title,Body,Voters,Votes\n1,Dark mode,x,Bo@globex.test; cy@globex.test,5\n"
    assert (await load(world.database, world.slug, "ideas", rows)).votes_added == 2
    [bo, _] = await world.rows("SELECT id FROM portal_users WHERE workspace_id = $1 ORDER BY email")
    assert await signed_in(world, sub="u-1", email="BO@globex.test") == bo["id"]
    [again] = await world.rows("SELECT subject FROM portal_users WHERE workspace_id = $1 AND id = $2", bo["id"])
    assert again["subject"] == "u-1"
    done = await load(world.database, world.slug, "ideas", rows)
    assert (done.unchanged, done.votes_added) == (1, 0)
    voters = await world.rows("SELECT user_id FROM portal_votes WHERE workspace_id = $1 AND user_id = $2", bo["id"])
    assert len(voters) == 1
    assert await world.value("SELECT imported_vote_count FROM ideas WHERE workspace_id = $1") == 3
    assert await world.value("SELECT count(*) FROM portal_users WHERE workspace_id = $1") == 2


async def test_a_voter_who_signs_in_during_the_import_is_one_person(world: PortalWorld) -> None:
    others = ";".join(f"{n}@globex.test" for n in range(500))
    rows = f"External ID,Title,Body,Voters\n1,Dark mode,x,bo@globex.test\n2,CSV,x,{others}\n".encode()
    async with world.database.transaction() as tx:
        await tx.connection.execute("LOCK TABLE portal_votes IN EXCLUSIVE MODE")
        importing = asyncio.create_task(load(world.database, world.slug, "ideas", rows))
        await until_blocked(world.database)
        browser = world.browser()
        signing_in = asyncio.create_task(world.sign_in(browser, sub="u-1", email="bo@globex.test"))
        await asyncio.wait({signing_in}, timeout=0.5)
        locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
        assert await tx.connection.fetchval(locks) < 200, "the server has room for some thousands"
    await importing
    await signing_in
    assert await world.value("SELECT count(*) FROM portal_users WHERE workspace_id = $1") == 501


async def test_an_import_and_a_signal_at_once_add_an_account_once(world: PortalWorld) -> None:
    idea = {"externalId": "1", "name": "Dark mode", "description": "x", "accounts": ["globex.test"]}
    signal = {"text": "Slow.", "createMissingAccounts": True, "accounts": [{"domain": "globex.test", "name": "Globex"}]}
    reader = ListReader("ideas", opened(json_lines([idea])))
    lines = Import(world.database, world.slug, reader, actor_id="tests", unknown_accounts="create")
    async with world.database.transaction() as tx:
        await tx.connection.execute("LOCK TABLE ideas IN EXCLUSIVE MODE")
        importing = asyncio.create_task(lines.run(asyncio.Event()))
        await until_blocked(world.database)
        sending = asyncio.create_task(world.client.post("/signals", json=signal))
        await asyncio.wait({sending}, timeout=0.5)
    await importing
    assert (await sending).status_code == 201
    assert await world.value("SELECT count(*) FROM accounts WHERE workspace_id = $1") == 1


async def test_people_of_different_portals_have_nothing_in_common(world: PortalWorld) -> None:
    one = await signed_in(world, sub="u-1", email="bo@globex.test")
    async with PortalWorld(world.database, world.address) as other:
        await other.open_portal()
        assert await signed_in(other, sub="u-1", email="bo@globex.test") != one


async def test_accounts_are_found_by_id_then_external_id_then_domain(world: PortalWorld) -> None:
    await world.add(
        accounts=[
            {"key": "globex", "externalId": "crm-1", "name": "Globex", "domain": "globex.test"},
            {"key": "initech", "externalId": "crm-2", "name": "Initech", "domain": "initech.test"},
            {"key": "umbrella", "externalId": "crm-3", "name": "Umbrella", "domain": "Umbrella.test"},
        ]
    )
    ids = await world.ids("accounts")
    person = await signed_in(
        world,
        accounts=[
            {"accountId": ids["umbrella"].upper(), "accountExternalId": "crm-1", "accountName": "Other"},
            {"accountId": str(uuid4()), "accountExternalId": "crm-2", "accountDomain": "globex.test"},
            {"accountId": "no uuid", "accountExternalId": "unknown", "accountDomain": "GLOBEX.test"},
            {"accountExternalId": "crm-2"},
        ],
    )
    assert await accounts(world, person) == ["Umbrella", "Initech", "Globex"]


async def test_a_domain_of_several_accounts_names_none_of_them(world: PortalWorld) -> None:
    await world.add(
        accounts=[
            {"key": "north", "name": "Globex North", "domain": "globex.test"},
            {"key": "south", "name": "Globex South", "domain": "globex.test"},
        ]
    )
    for claim in ({"accountName": "Globex East"}, {}, {"accountName": "Globex East"}):
        person = await signed_in(world, sub="u-1", accounts=[{"accountDomain": "Globex.test"} | claim])
        assert await accounts(world, person) == ["Globex East"]
        assert await world.value("SELECT count(*) FROM accounts WHERE workspace_id = $1") == 3


async def test_names_never_merge_accounts(world: PortalWorld) -> None:
    await world.add(accounts=[{"key": "globex", "externalId": "crm-1", "name": "Globex"}])
    one = await signed_in(world, accounts=[{"accountName": "Globex"}])
    other = await signed_in(world, accounts=[{"accountName": "Globex"}])
    assert await accounts(world, one) == await accounts(world, other) == ["Globex"]
    assert await world.value("SELECT count(*) FROM accounts WHERE workspace_id = $1") == 3


async def test_the_same_person_with_the_same_name_of_an_account_makes_it_once(world: PortalWorld) -> None:
    for _ in range(3):
        person = await signed_in(world, sub="u-1", accounts=[{"accountName": "Globex"}])
        assert await accounts(world, person) == ["Globex"]
    await signed_in(world, sub="u-1", email="bo@globex.test", accounts=[{"accountName": "Globex"}])
    rows = await world.rows("SELECT name FROM accounts WHERE workspace_id = $1 AND name = 'Globex'")
    assert len(rows) == 1


async def test_sign_ins_and_signals_at_once_add_the_same_accounts_once(world: PortalWorld) -> None:
    for turn in range(4):
        domains = [f"globex-{turn}-{number}.test" for number in range(40)]
        claims, sent = [{"accountDomain": domain} for domain in domains], [{"domain": domain} for domain in domains]
        texts = [
            {"text": "The lift stops.", "accounts": accounts, "createMissingAccounts": True}
            for accounts in [sent, sent[::-1]] * 2
        ]
        browsers = [(world.browser(), order) for order in [claims, claims[::-1]] * 2]
        tokens = [(browser, world.token(accounts=order), await browser.state()) for browser, order in browsers]
        done = await asyncio.gather(
            *(world.client.post("/signals", json=text) for text in texts),
            *(browser.call_back(token, state) for browser, token, state in tokens),
        )
        assert {answer.status_code for answer in done} == {201, 302}
    assert await world.value("SELECT count(*) FROM accounts WHERE workspace_id = $1") == 4 * 40


async def test_claims_at_top_level_are_one_account_unless_there_are_others(world: PortalWorld) -> None:
    person = await signed_in(world, accountExternalId="crm-1", accountName="Globex", accounts=[])
    assert await accounts(world, person) == ["Globex"]
    person = await signed_in(world, accountName="Ignored", accounts=[{"accountName": "Initech"}])
    assert await accounts(world, person) == ["Initech"]
    person = await signed_in(world, accountName=5, accounts=[{"accountName": "Initech"}])
    assert await accounts(world, person) == ["Initech"], "not even looked at"
    person = await signed_in(world, email="solo@freelance.test", accountName="Ignored", accounts=[{}])
    assert await accounts(world, person) == ["solo@freelance.test"]


NAMING_NOTHING: list[dict[str, Any]] = [
    {},
    {"accountId": None, "accountExternalId": None, "accountName": None, "accountDomain": None},
    {"accountExternalId": "", "accountName": " \t"},
    {"accountId": "no uuid"},
    {"plan": "gold"},
]


@pytest.mark.parametrize("claim", NAMING_NOTHING, ids=str)
async def test_account_claims_that_name_nothing_fall_through(world: PortalWorld, claim: dict[str, Any]) -> None:
    contact = {"email": "bo@globex.test", "name": "Bo Lee"}
    await world.add(accounts=[{"key": "globex", "name": "Globex", "contacts": [contact]}])
    person = await signed_in(world, sub="u-1", email="bo@globex.test", accounts=[claim])
    assert await accounts(world, person) == ["Globex"], "the account that has them as a contact"
    await signed_in(world, sub="u-1", accounts=[{"accountName": "Initech"}])
    await signed_in(world, sub="u-1", accounts=[claim])
    assert await accounts(world, person) == ["Initech"], "those linked already"
    await signed_in(world, sub="u-1", accounts=[claim, {"accountName": "Umbrella"}])
    assert await accounts(world, person) == ["Umbrella"]


async def test_a_field_of_an_account_that_is_null_counts_as_left_out(world: PortalWorld) -> None:
    claim = {"accountId": None, "accountExternalId": "crm-1", "accountName": None, "accountDomain": None}
    person = await signed_in(world, email="bo@globex.test", accounts=[claim])
    assert await accounts(world, person) == ["bo@globex.test"]
    row = await world.rows("SELECT external_id, domain FROM accounts WHERE workspace_id = $1")
    assert [tuple(each) for each in row] == [("crm-1", None)]


async def test_later_claims_replace_accounts_and_none_leave_them(world: PortalWorld) -> None:
    named = {"sub": "u-1", "email": "bo@globex.test"}
    await signed_in(world, **named, accounts=[{"accountExternalId": "a"}, {"accountExternalId": "b"}])
    person = await signed_in(world, **named)
    assert len(await accounts(world, person)) == 2
    person = await signed_in(world, **named, accounts=[{"accountExternalId": "c", "accountName": "C"}])
    assert await accounts(world, person) == ["C"]


async def test_without_claims_the_account_that_knows_the_email_as_a_contact(world: PortalWorld) -> None:
    contact = {"email": "Bo@globex.test", "name": "Bo Lee"}
    await world.add(accounts=[{"key": "globex", "name": "Globex", "contacts": [contact]}])
    person = await signed_in(world, email="bo@globex.test")
    assert await accounts(world, person) == ["Globex"]


async def test_otherwise_a_new_account_named_by_the_email(world: PortalWorld) -> None:
    person = await signed_in(world, email="solo@freelance.test")
    assert await accounts(world, person) == ["solo@freelance.test"]
    assert await signed_in(world, email="solo@freelance.test") == person
    assert await world.value("SELECT count(*) FROM accounts WHERE workspace_id = $1") == 1
    shown = await world.client.get("/accounts")
    assert shown.headers["x-total-count"] == "1"


@pytest.mark.parametrize("name", ["", "a" * 255, "Ünï <b>cödé</b> 🎉"])
async def test_any_name_signs_in(world: PortalWorld, name: str) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser, first_name=name, last_name=name)
        page = await browser.get("/")
        assert page.status_code == 200
        assert "<b>" not in page.text
