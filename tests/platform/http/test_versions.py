"""ETag, If-None-Match, If-Match and HEAD. Decisions: Everywhere, Headers."""

import pytest

from tests.world import World

TAG = '"00000000000000000000000000000001.7"'


async def test_a_record_carries_its_version(lab: World) -> None:
    answer = await lab.client.get("/things/IDEA-1")
    assert (answer.status_code, answer.headers["ETag"]) == (200, TAG)


async def test_the_tag_tells_nothing_of_the_key(lab: World) -> None:
    other = await lab.client_with("ideas:read")
    answers = [await client.get("/things/IDEA-1") for client in (lab.client, other)]
    assert answers[0].headers["ETag"] == answers[1].headers["ETag"]


@pytest.mark.parametrize("known", [TAG, f"W/{TAG}", f'"other", {TAG}', f'{TAG}, "other"', "*", f'"a,b",{TAG}'])
async def test_a_known_version_is_not_sent_again(lab: World, known: str) -> None:
    for method in ("GET", "HEAD"):
        answer = await lab.client.request(method, "/things/IDEA-1", headers={"If-None-Match": known})
        assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", TAG)
        assert "Content-Type" not in answer.headers
        assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize("known", ['"other"', TAG[1:-1], "", '"*"'])
async def test_another_version_is_sent(lab: World, known: str) -> None:
    answer = await lab.client.get("/things/IDEA-1", headers={"If-None-Match": known})
    assert answer.status_code == 200


async def test_a_stranger_learns_nothing_from_a_tag(lab: World) -> None:
    answer = await lab.client_of(None).get("/things/IDEA-1", headers={"If-None-Match": "*"})
    assert answer.status_code == 401


async def test_head_answers_as_get_without_the_body(lab: World) -> None:
    plain = {"Accept-Encoding": "identity"}
    got = await lab.client.get("/things/IDEA-1", headers=plain)
    headed = await lab.client.head("/things/IDEA-1", headers=plain)
    assert (headed.status_code, headed.content) == (200, b"")
    for name in ("ETag", "Content-Type", "Content-Length"):
        assert headed.headers[name] == got.headers[name]


@pytest.mark.parametrize("expected", [TAG, "*", f'"other", {TAG}'])
async def test_the_expected_version_may_be_changed(lab: World, expected: str) -> None:
    answer = await lab.client.patch("/things/IDEA-1", json={"name": "a"}, headers={"If-Match": expected})
    assert (answer.status_code, answer.headers["ETag"]) == (200, TAG)


@pytest.mark.parametrize("expected", ['"other"', TAG[1:-1], f"W/{TAG}", TAG.replace(".7", ".6")])
async def test_another_version_may_not(lab: World, expected: str) -> None:
    answer = await lab.client.patch("/things/IDEA-1", json={"name": "a"}, headers={"If-Match": expected})
    assert (answer.status_code, answer.json()["code"]) == (412, "PRECONDITION_FAILED")


async def test_if_none_match_does_not_stop_a_write(lab: World) -> None:
    answer = await lab.client.patch("/things/IDEA-1", json={"name": "a"}, headers={"If-None-Match": TAG})
    assert answer.status_code == 200


async def test_a_created_idea_is_known_by_its_tag(world: World) -> None:
    made = await world.client.post("/ideas", json={"description": "Export tables."})
    answer = await world.client.get(
        f"/ideas/{made.json()['publicId'].lower()}", headers={"If-None-Match": made.headers["ETag"]}
    )
    assert (made.status_code, answer.status_code) == (201, 304)
