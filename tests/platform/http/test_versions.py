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


@pytest.mark.parametrize("size", [100, 5000])
async def test_a_compressed_answer_has_a_tag_of_its_own(world: World, size: int) -> None:
    idea = (await world.client.post("/ideas", json={"description": "Export. " * (size // 8)})).json()
    path = f"/ideas/{idea['id']}"
    answers = [await world.client.get(path, headers={"Accept-Encoding": coding}) for coding in ("gzip", "identity")]
    tags = [answer.headers["ETag"] for answer in answers]
    is_compressed = "Content-Encoding" in answers[0].headers
    assert is_compressed is (size > 1024) is (tags[0] != tags[1])
    assert ("Vary" in answers[0].headers) is is_compressed
    for coding in ("gzip", "identity"):
        for tag in (*tags, f"W/{tags[0]}", f'"other", {tags[0]}'):
            known = await world.client.get(path, headers={"If-None-Match": tag, "Accept-Encoding": coding})
            assert known.status_code == 304
            assert known.headers["ETag"] in tag
    for n, tag in enumerate(tags):
        changes = {"name": f"Name {n}"}
        current = (await world.client.get(path, headers={"Accept-Encoding": "identity"})).headers["ETag"]
        tag = tag.replace(tags[1].strip('"'), current.strip('"'))
        assert (await world.client.patch(path, json=changes, headers={"If-Match": tag})).status_code == 200
        assert (await world.client.patch(path, json=changes, headers={"If-Match": tag})).status_code == 412


async def test_tags_may_come_in_several_headers(lab: World) -> None:
    headers = [("If-None-Match", TAG), ("If-None-Match", '"other"')]
    assert (await lab.client.get("/things/IDEA-1", headers=headers)).status_code == 304


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
