"""The questions of an idea: listing, answering, setting aside."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import pytest_asyncio

from tests.ideas.acme import EXPORT, Acme, Json, refused
from tests.ideas.workroom import at_once, from_file, patch, trail
from tests.intelligence.test_questions import COMPLETE

pytestmark = pytest.mark.one_workspace

FIELDS = {
    *("id", "ideaId", "question", "answer", "placeholder", "reasoning", "status", "createdAt", "updatedAt"),
}
OPEN: list[Json] = [
    {"key": "p", "question": "For whom?", "placeholder": "Analysts.", "reasoning": "Decides all.", "status": "pending"},
    {"key": "s", "question": "How often?", "status": "skipped"},
    {"key": "a", "question": "Since when?", "status": "answered", "answer": "Since May."},
    {"key": "r", "question": "Which colour?", "status": "rejected"},
]
ASKED = [{**each, "createdAt": f"2025-01-0{n + 1}"} for n, each in enumerate(OPEN)]


@pytest_asyncio.fixture
async def idea(acme: Acme) -> Json:
    """An idea with a question of every status."""
    return await from_file(acme, questions=ASKED)


async def questions(acme: Acme, idea: Json, **query: Any) -> list[Json]:
    answer = await acme.client.get(f"/ideas/{idea['id']}/questions", params=query)
    assert answer.status_code == 200, answer.text
    listed: list[Json] = answer.json()
    return listed


async def question(acme: Acme, idea: Json, status: str) -> Json:
    return next(each for each in await questions(acme, idea) if each["status"] == status)


async def answered(acme: Acme, about: Json, answer: Any) -> httpx2.Response:
    """PATCH /ideas/:id/questions/:questionId/answer."""
    return await acme.client.patch(f"/ideas/{about['ideaId']}/questions/{about['id']}/answer", json={"answer": answer})


async def moved(acme: Acme, about: Json, status: Any) -> httpx2.Response:
    """PATCH /ideas/:id/questions/:questionId."""
    return await acme.client.patch(f"/ideas/{about['ideaId']}/questions/{about['id']}", json={"status": status})


async def test_all_four_statuses_are_listed_oldest_first(acme: Acme, idea: Json) -> None:
    listed = await questions(acme, idea)
    assert [each["status"] for each in listed] == ["pending", "skipped", "answered", "rejected"]
    first = listed[0]
    assert first.keys() == FIELDS
    assert {name: first[name] for name in ("question", "placeholder", "reasoning", "answer", "ideaId")} == {
        **{name: ASKED[0][name] for name in ("question", "placeholder", "reasoning")},
        "answer": None,
        "ideaId": idea["id"],
    }
    assert first["createdAt"] == "2025-01-01T00:00:00.000Z"
    assert first["updatedAt"] >= idea["updatedAt"]
    assert (listed[2]["answer"], listed[3]["answer"]) == ("Since May.", None)


async def test_questions_of_the_same_time_are_in_the_order_of_their_ids(acme: Acme) -> None:
    same = [{"key": f"q{n}", "question": f"Q{n}?", "createdAt": "2025-01-01"} for n in range(8)]
    ids = [each["id"] for each in await questions(acme, await from_file(acme, questions=same))]
    assert ids == sorted(ids)


async def test_questions_are_paged_and_a_larger_limit_is_served_as_100(acme: Acme) -> None:
    many = [
        {"key": f"q{n}", "question": f"Q{n}?", "createdAt": f"2025-01-01T00:{n // 60:02}:{n % 60:02}Z"}
        for n in range(103)
    ]
    idea = await from_file(acme, questions=many)
    path = f"/ideas/{idea['id']}/questions"
    for given, served in (({}, 20), ({"limit": 100}, 100), ({"limit": 101}, 100), ({"limit": 10**9}, 100)):
        answer = await acme.client.get(path, params=given)
        paging = [answer.headers[f"x-{name}"] for name in ("total-count", "limit", "has-more")]
        assert (len(answer.json()), paging) == (served, ["103", str(served), "true"])
    rest = await acme.client.get(path, params={"limit": 100, "offset": 100})
    assert [each["question"] for each in rest.json()] == ["Q100?", "Q101?", "Q102?"]
    assert rest.headers["x-has-more"] == "false"
    assert (await acme.client.get(path, params={"offset": 500})).headers["x-total-count"] == "103"
    for name, wrong in (("limit", "0"), ("limit", "-1"), ("limit", "x"), ("offset", "-1"), ("offset", "x")):
        refused(await acme.client.get(path, params={name: wrong}), 400, "VALIDATION_FAILED", name)


@pytest.mark.parametrize("name", ["question", "answer", "placeholder", "reasoning"])
async def test_a_large_page_is_sent_in_pieces(acme: Acme, name: str) -> None:
    """Eight clients that did not read such pages cost 876 MB."""
    asked = [{"key": f"q{n}", "question": "Q?"} | {name: f"{n} " + "x" * 50_000} for n in range(28)]
    idea = await from_file(acme, questions=asked)
    answer = await acme.client.get(f"/ideas/{idea['id']}/questions", params={"limit": 100})
    assert "content-length" not in answer.headers
    assert sorted(each[name] for each in answer.json()) == sorted(each[name] for each in asked)


@pytest.mark.parametrize("status", ["pending", "skipped", "answered"])
async def test_an_open_question_is_answered_and_an_answer_is_revised(acme: Acme, idea: Json, status: str) -> None:
    about = await question(acme, idea, status)
    answer = await answered(acme, about, "  Twice a week,\n mostly. \t")
    assert answer.status_code == 200
    kept = {name: about[name] for name in ("id", "ideaId", "question", "placeholder", "reasoning", "createdAt")}
    changed = answer.json()
    assert changed == {
        **kept,
        "answer": "Twice a week,\n mostly.",
        "status": "answered",
        "updatedAt": changed["updatedAt"],
    }
    assert changed["updatedAt"] > about["updatedAt"]
    assert changed in await questions(acme, idea)


async def test_a_rejected_question_takes_no_answer(acme: Acme, idea: Json) -> None:
    about = await question(acme, idea, "rejected")
    refused(await answered(acme, about, "Blue."), 409, "QUESTION_REJECTED")
    assert about in await questions(acme, idea)
    assert (await moved(acme, about, "pending")).status_code == 200
    assert (await answered(acme, about, "Blue.")).json()["answer"] == "Blue."


async def test_an_answer_has_to_say_something(acme: Acme, idea: Json) -> None:
    about = await question(acme, idea, "pending")
    nothings: list[Any] = ["", " ", "\n\t ", "\u00a0\u2003", None, 1, ["Yes"], {}]
    for nothing in nothings:
        refused(await answered(acme, about, nothing), 400, "VALIDATION_FAILED", "answer")
    path = f"/ideas/{idea['id']}/questions/{about['id']}/answer"
    refused(await acme.client.patch(path, json={}), 400, "VALIDATION_FAILED", "answer")
    refused(await acme.client.patch(path, json={"answer": "A", "status": "answered"}), 400, "VALIDATION_FAILED")
    assert about in await questions(acme, idea)


async def test_the_same_answer_again_changes_nothing(acme: Acme, idea: Json) -> None:
    about = await question(acme, idea, "answered")
    assert (await answered(acme, about, " Since May. ")).json() == about


async def test_a_placeholder_never_counts_as_an_answer(acme: Acme, idea: Json) -> None:
    about = await question(acme, idea, "pending")
    for status in ("skipped", "rejected", "pending"):
        assert (await moved(acme, about, status)).json()["answer"] is None
    confirmed = (await answered(acme, about, about["placeholder"])).json()
    assert (confirmed["answer"], confirmed["status"]) == ("Analysts.", "answered")


@pytest.mark.parametrize("status", ["pending", "skipped", "answered", "rejected"])
async def test_a_question_moves_to_every_status_but_answered(acme: Acme, idea: Json, status: str) -> None:
    about = await question(acme, idea, status)
    for other in ("skipped", "rejected", "pending"):
        changed = (await moved(acme, about, other)).json()
        assert (changed["status"], changed["answer"]) == (other, about["answer"])
    for wrong in ("answered", "open", "Pending", None, 1):
        refused(await moved(acme, about, wrong), 400, "VALIDATION_FAILED", "status")


async def test_the_same_status_again_changes_nothing(acme: Acme, idea: Json) -> None:
    for status in ("pending", "skipped", "rejected"):
        about = await question(acme, idea, status)
        assert (await moved(acme, about, status)).json() == about
        assert [action for action, _ in await trail(acme, about["id"])] == ["created"]


async def test_the_trail_has_the_status_of_a_question_but_not_the_answer(acme: Acme, idea: Json) -> None:
    about = await question(acme, idea, "pending")
    await moved(acme, about, "skipped")
    await answered(acme, about, "Secret.")
    assert (await trail(acme, about["id"]))[1:] == [
        ("skipped", {"ideaId": idea["id"], "previousStatus": "pending"}),
        ("answered", {"ideaId": idea["id"], "previousStatus": "skipped"}),
    ]


async def test_a_question_is_found_only_under_its_idea(acme: Acme, idea: Json) -> None:
    about = await question(acme, idea, "pending")
    other = await from_file(acme)
    for stray in ({**about, "ideaId": other["id"]}, {**about, "id": str(uuid4())}, {**about, "ideaId": str(uuid4())}):
        refused(await answered(acme, stray, "Yes."), 404, "NOT_FOUND")
        refused(await moved(acme, stray, "skipped"), 404, "NOT_FOUND")
    async with acme.world.stranger() as stranger:
        path = f"/ideas/{idea['id']}/questions/{about['id']}"
        refused(await stranger.client.patch(path, json={"status": "skipped"}), 404, "NOT_FOUND")
        refused(await stranger.client.patch(f"{path}/answer", json={"answer": "Yes."}), 404, "NOT_FOUND")


async def test_a_question_id_that_is_no_uuid_is_refused(acme: Acme, idea: Json) -> None:
    for id in ("1", "first", "IDEA-1", "a" * 32):
        refused(await answered(acme, {"ideaId": idea["id"], "id": id}, "Yes."), 400, "INVALID_REFERENCE")
        refused(await moved(acme, {"ideaId": idea["id"], "id": id}, "skipped"), 400, "INVALID_REFERENCE")


async def test_references_may_have_any_form_and_letter_case(acme: Acme, idea: Json) -> None:
    about = await question(acme, idea, "pending")
    ref = {"ideaId": idea["publicId"].lower(), "id": about["id"].upper()}
    assert (await answered(acme, ref, "Yes.")).json()["id"] == about["id"]
    assert len((await acme.client.get(f"/ideas/{idea['publicId']}/questions")).json()) == 4


async def test_a_stale_tag_is_refused(acme: Acme, idea: Json) -> None:
    about = await question(acme, idea, "pending")
    tag = (await moved(acme, about, "skipped")).headers["etag"]
    path, headers = f"/ideas/{idea['id']}/questions/{about['id']}/answer", {"If-Match": tag}
    assert (await acme.client.patch(path, json={"answer": "One."}, headers=headers)).status_code == 200
    refused(await acme.client.patch(path, json={"answer": "Two."}, headers=headers), 412, "PRECONDITION_FAILED")


async def test_of_many_answers_at_once_one_stays(acme: Acme, idea: Json) -> None:
    about = await question(acme, idea, "pending")
    answers = await at_once(answered(acme, about, f"Answer {n}.") for n in range(12))
    assert {answer.status_code for answer in answers} == {200}
    left = await question(acme, idea, "answered")
    assert about["id"] in {each["id"] for each in await questions(acme, idea) if each["status"] == "answered"}
    newest = max((answer.json() for answer in answers), key=lambda each: str(each["updatedAt"]))
    assert newest["updatedAt"] == next(e for e in await questions(acme, idea) if e["id"] == about["id"])["updatedAt"]
    assert left["answer"]


async def test_answering_does_not_touch_the_idea(acme: Acme, idea: Json) -> None:
    await answered(acme, await question(acme, idea, "pending"), "Yes.")
    assert await acme.read(idea) == idea


async def test_a_new_idea_is_asked_at_most_three_questions_about_what_its_text_lacks(acme: Acme) -> None:
    asked = await questions(acme, await acme.create(description=f"Should exports hold every column? {EXPORT}"))
    assert 1 <= len(asked) <= 3
    for each in asked:
        assert (each["status"], each["answer"]) == ("pending", None)
        assert "" not in (each["question"].strip(), each["reasoning"].strip())
        assert each["placeholder"] == "" or "not checked" in each["placeholder"]
    assert len({each["question"] for each in asked}) == len(asked)
    assert any("every column" in each["question"] + each["placeholder"] for each in asked)


async def test_an_idea_that_lacks_nothing_is_asked_nothing(acme: Acme) -> None:
    assert await questions(acme, await acme.create(description=COMPLETE)) == []


ASKED_OF_IT = "How many rows may a table have?"


async def described_by_patch(acme: Acme, idea: Json, description: str) -> None:
    assert (await patch(acme, idea, description=description)).status_code == 200


async def described_by_identity(acme: Acme, idea: Json, description: str) -> None:
    assert (await acme.post(**IDENTITY, description=description)).json()["id"] == idea["id"]


async def described_by_file(acme: Acme, idea: Json, description: str) -> None:
    await acme.world.add(ideas=[{"id": idea["id"], "name": idea["name"], "description": description}])


describe = pytest.mark.parametrize("described", [described_by_patch, described_by_identity, described_by_file])
IDENTITY = {"sourceKey": "desk", "externalId": "asked"}


@pytest_asyncio.fixture
async def asked_of(acme: Acme) -> AsyncIterator[Json]:
    """An idea whose first question quotes its description."""
    idea = await acme.create(**IDENTITY, description=f"An export. {ASKED_OF_IT}")
    assert ASKED_OF_IT in (await questions(acme, idea))[0]["question"]
    yield idea
    await acme.client.delete(f"/ideas/{idea['id']}")


@describe
async def test_untouched_questions_go_with_the_description_they_were_asked_of(
    acme: Acme, asked_of: Json, described: Any
) -> None:
    await described(acme, asked_of, "Another export.")
    left = await questions(acme, asked_of)
    assert not any(ASKED_OF_IT in each["question"] for each in left)
    assert len(left) == (0 if described is described_by_file else 3)
    await described(acme, asked_of, COMPLETE)
    assert await questions(acme, asked_of) == []


@describe
async def test_questions_that_somebody_dealt_with_stay_and_no_others_are_added(
    acme: Acme, asked_of: Json, described: Any
) -> None:
    first, second, third = await questions(acme, asked_of)
    await answered(acme, first, "Forty.")
    await moved(acme, second, "skipped")
    await described(acme, asked_of, "Another export.")
    assert [each["id"] for each in await questions(acme, asked_of)] == [first["id"], second["id"]]
    assert third["status"] == "pending"


async def test_questions_that_a_file_lists_stay_with_a_new_description(acme: Acme) -> None:
    drafted = {"key": "d", "question": "Who?", "origin": "engine"}
    idea = await from_file(acme, questions=[drafted])
    await acme.world.add(ideas=[{"id": idea["id"], "name": "X", "description": "New.", "questions": [drafted]}])
    assert [each["question"] for each in await questions(acme, idea)] == ["Who?"]
    await acme.world.add(ideas=[{"id": idea["id"], "name": "X", "description": "Newer."}])
    assert await questions(acme, idea) == []


async def test_an_idea_with_the_same_description_keeps_its_questions(acme: Acme, asked_of: Json) -> None:
    before = await questions(acme, asked_of)
    await described_by_patch(acme, asked_of, asked_of["description"])
    await described_by_identity(acme, asked_of, asked_of["description"])
    assert await questions(acme, asked_of) == before


async def test_a_drafted_question_is_never_older_than_its_idea(acme: Acme) -> None:
    source = {"sourceKey": "desk", "externalId": "from-tomorrow"}
    later = await from_file(acme, **source, createdAt="2099-01-01")
    assert (await acme.post(**source)).json()["id"] == later["id"]
    for idea in [later, *[await acme.create() for _ in range(8)]]:
        drafted = await questions(acme, idea)
        assert drafted
        assert all(each["createdAt"] >= idea["createdAt"] for each in drafted)


async def test_a_new_question_was_written_when_it_was_created(acme: Acme) -> None:
    for idea in [await acme.create() for _ in range(30)]:
        assert all(each["createdAt"] == each["updatedAt"] for each in await questions(acme, idea))


async def test_an_idea_from_a_file_is_asked_nothing(acme: Acme) -> None:
    assert await questions(acme, await from_file(acme)) == []


async def test_a_long_description_is_asked_what_a_short_one_is(acme: Acme) -> None:
    asked = []
    for text in (EXPORT, f"{EXPORT}\n{'-' * 9_000}"):
        created = await acme.client.post("/ideas", json={"description": text})
        assert created.status_code == 201, created.text
        asked.append([each["question"] for each in await questions(acme, created.json())])
    assert asked[0]
    assert asked[0] == asked[1]
