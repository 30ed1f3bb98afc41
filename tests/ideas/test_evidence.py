"""GET /ideas/:id/evidence: what was linked to the idea itself, and nothing else."""

from collections.abc import AsyncIterator
from secrets import token_hex
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from sightline.platform.db import Database
from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import from_file, furnished

FIELDS = {
    *("id", "title", "description", "extracts", "category", "signalId", "signalPublicId", "resolvedAt", "resolution"),
    *("resolvedByUserId", "dismissedAt", "role", "origin"),
}
PAST = "2025-03-04T05:06:07.000Z"
ROLES = ("supports", "qualifies", "contradicts", "context")
ORIGINS = ("entity_creation", "manual", "import", "study", "research", "portal")


@pytest_asyncio.fixture(scope="module")
async def acme(database: Database, served: str) -> AsyncIterator[Acme]:
    """One workspace for all tests of this file, which make ideas of their own."""
    async with furnished(database, served) as acme:
        await acme.world.add(signals=[{"key": "call", "name": "A call", "context": "discovery"}])
        yield acme


def piece(n: int, **fields: Any) -> Json:
    return {"key": f"e{n}", "title": f"Piece {n}", "category": "problem", "createdAt": f"2025-01-{n + 1:02}", **fields}


async def pieces(acme: Acme, idea: Json, **query: Any) -> httpx2.Response:
    return await acme.client.get(f"/ideas/{idea['id']}/evidence", params=query)


async def titles(acme: Acme, idea: Json, **query: Any) -> list[str]:
    answer = await pieces(acme, idea, **query)
    assert answer.status_code == 200, answer.text
    return [each["title"] for each in answer.json()]


@pytest.mark.parametrize("name", ["description", "resolution"])
async def test_a_large_page_is_sent_in_pieces(acme: Acme, name: str) -> None:
    """Eight clients that did not read such pages cost 176 MB, and 456 MB."""
    given = [piece(n, **{name: token_hex(25_000)}) for n in range(28)]
    idea = await from_file(acme, evidence=given)
    answer = await pieces(acme, idea, limit=50)
    assert "content-length" not in answer.headers
    assert [each[name] for each in answer.json()] == [each[name] for each in reversed(given)]


async def test_a_piece_of_evidence_is_shown_whole(acme: Acme) -> None:
    extracts = [{"text": "We wait for minutes.", "signal": "call"}, {"text": "Every day."}]
    whole = {"description": "Said twice.", "extracts": extracts, "signal": "call", "role": "qualifies"}
    state = {"resolvedAt": PAST, "resolvedBy": "owner", "resolution": "Fixed in May.", "dismissedAt": PAST}
    idea = await from_file(acme, evidence=[piece(1, **whole, origin="import", **state)])
    [shown] = (await pieces(acme, idea, visibility="all")).json()
    signal_id = (await acme.world.ids("signals"))["call"]
    number = await acme.value("SELECT number FROM signals WHERE workspace_id = $1 AND key = 'call'")
    owner_id = await acme.value("SELECT id::text FROM members WHERE workspace_id = $1 AND key = 'owner'")
    assert shown.pop("id")
    assert shown == {
        **{"title": "Piece 1", "description": "Said twice.", "category": "problem"},
        "extracts": [
            {"text": "We wait for minutes.", "signalId": signal_id},
            {"text": "Every day.", "signalId": None},
        ],
        **{"signalId": signal_id, "signalPublicId": f"SIGNAL-{number}", "role": "qualifies", "origin": "import"},
        **{"resolvedAt": PAST, "resolution": "Fixed in May.", "resolvedByUserId": owner_id, "dismissedAt": PAST},
    }


async def test_unknown_values_are_null(acme: Acme) -> None:
    idea = await from_file(acme, evidence=[piece(1)])
    [shown] = (await pieces(acme, idea)).json()
    assert shown.keys() == FIELDS
    for field in ("extracts", "signalId", "signalPublicId", "resolvedAt", "resolution", "dismissedAt"):
        assert shown[field] is None
    assert (shown["resolvedByUserId"], shown["description"], shown["role"]) == (None, "", "supports")


async def test_every_role_and_origin_is_shown(acme: Acme) -> None:
    many = [piece(n, origin=origin, role=ROLES[n % 4]) for n, origin in enumerate(ORIGINS)]
    idea = await from_file(acme, evidence=many)
    shown = (await pieces(acme, idea)).json()
    assert [(each["origin"], each["role"]) for each in reversed(shown)] == [
        (origin, ROLES[n % 4]) for n, origin in enumerate(ORIGINS)
    ]


async def test_only_what_is_neither_dismissed_nor_resolved_is_active(acme: Acme) -> None:
    states: list[Json] = [{}, {"resolvedAt": PAST}, {"dismissedAt": PAST}, {"resolution": "Noted."}]
    idea = await from_file(acme, evidence=[piece(n, **state) for n, state in enumerate(states)])
    assert await titles(acme, idea) == await titles(acme, idea, visibility="active") == ["Piece 3", "Piece 0"]
    assert await titles(acme, idea, visibility="all") == ["Piece 3", "Piece 2", "Piece 1", "Piece 0"]
    assert (await pieces(acme, idea)).headers["x-total-count"] == "2"
    assert (await pieces(acme, idea, visibility="all")).headers["x-total-count"] == "4"


async def test_another_visibility_is_refused(acme: Acme) -> None:
    idea = await from_file(acme)
    for visibility in ("", "Active", "dismissed", "all,active"):
        refused(await pieces(acme, idea, visibility=visibility), 400, "VALIDATION_FAILED", "visibility")


async def test_the_newest_link_comes_first_then_the_smaller_id(acme: Acme) -> None:
    same = [piece(n, createdAt="2025-06-01") for n in range(6)]
    idea = await from_file(acme, evidence=[piece(7), *same, piece(8)])
    shown = (await pieces(acme, idea)).json()
    ids = [each["id"] for each in shown if each["title"] not in ("Piece 7", "Piece 8")]
    assert ids == sorted(ids)
    assert [each["title"] for each in shown[-2:]] == ["Piece 8", "Piece 7"]


async def test_evidence_is_paged(acme: Acme) -> None:
    idea = await from_file(acme, evidence=[piece(n) for n in range(25)])
    answer = await pieces(acme, idea)
    paging = [answer.headers[f"x-{name}"] for name in ("total-count", "limit", "offset", "has-more")]
    assert (len(answer.json()), paging) == (20, ["25", "20", "0", "true"])
    walked = [title for offset in range(0, 25, 10) for title in await titles(acme, idea, limit=10, offset=offset)]
    assert walked == [f"Piece {n}" for n in reversed(range(25))]
    last = await pieces(acme, idea, limit=50)
    assert (len(last.json()), last.headers["x-limit"], last.headers["x-has-more"]) == (25, "50", "false")
    beyond = await pieces(acme, idea, offset=25)
    assert (beyond.json(), beyond.headers["x-total-count"]) == ([], "25")


async def test_a_limit_is_1_to_50(acme: Acme) -> None:
    idea = await from_file(acme, evidence=[piece(1)])
    for limit in ("1", "50", "01"):
        assert (await pieces(acme, idea, limit=limit)).status_code == 200
    for limit in ("0", "51", "100", "-1", "x", "", "1.0", "1_0", "\u0661"):
        refused(await pieces(acme, idea, limit=limit), 400, "VALIDATION_FAILED", "limit")
    for offset in ("-1", "x", "", str(2**31)):
        refused(await pieces(acme, idea, offset=offset), 400, "VALIDATION_FAILED", "offset")


async def test_what_insights_and_opportunities_rest_on_is_not_the_ideas_evidence(acme: Acme) -> None:
    await acme.world.add(
        insights=[{"key": "rich", "title": "Rich", "category": "problem", "signals": ["call"]}],
    )
    linked = {"insights": [{"insight": "rich", "validated": True}], "opportunities": ["retention"]}
    idea = await from_file(acme, **linked, evidence=[piece(1)])
    assert await titles(acme, idea, visibility="all") == ["Piece 1"]


async def test_an_ideas_evidence_is_its_own(acme: Acme) -> None:
    await from_file(acme, evidence=[piece(1)])
    assert await titles(acme, await from_file(acme), visibility="all") == []


async def test_evidence_stays_when_its_signal_is_deleted(acme: Acme) -> None:
    kept = [{"key": "call", "name": "A call"}]
    await acme.world.add(signals=[*kept, {"key": "gone", "name": "Gone"}])
    idea = await from_file(acme, evidence=[piece(1, signal="gone")])
    await acme.world.add(signals=kept, prune=["signals"])
    [shown] = (await pieces(acme, idea)).json()
    assert (shown["signalId"], shown["signalPublicId"]) == (None, None)


@pytest.mark.parametrize("either", ["signal-evidence:read", "signals:read"])
async def test_evidence_needs_one_of_two_scopes_beside_that_of_ideas(acme: Acme, either: str) -> None:
    path = f"/ideas/{(await from_file(acme))['id']}/evidence"
    assert (await (await acme.world.client_with("ideas:read", either)).get(path)).status_code == 200
    refused(await (await acme.world.client_with(either)).get(path), 403, "INSUFFICIENT_SCOPE")
    reader = await acme.world.client_with("ideas:read", "ideas:write", "initiatives:read")
    problem = refused(await reader.get(path), 403, "INSUFFICIENT_SCOPE")
    assert problem["requiredScopes"] == ["ideas:read", "signal-evidence:read", "signals:read"]


async def test_either_form_of_reference_names_the_idea(acme: Acme) -> None:
    idea = await from_file(acme, evidence=[piece(1)])
    for ref in (idea["publicId"].lower(), idea["id"].upper()):
        assert len((await acme.client.get(f"/ideas/{ref}/evidence")).json()) == 1
    refused(await acme.client.get("/ideas/IDEA-999999/evidence"), 404, "NOT_FOUND")
    refused(await acme.client.get("/ideas/nothing/evidence"), 400, "INVALID_REFERENCE")
