"""Idempotency-Key, for every POST, whichever rooms are added. Decisions: Everywhere, Idempotency-Key."""

from sightline.platform.http.operations import Operation
from tests.generated.made import WRITES, Made, code_of, each
from tests.world import World

POSTS = [operation for operation in WRITES if operation.method == "POST"]
KEY = {"Idempotency-Key": "once"}


async def written(world: World) -> list[int]:
    """The changes, the jobs, and the credits that are used or reserved."""
    counts = """
SELECT (SELECT count(*) FROM changes WHERE workspace_id = $1) AS changes,
       (SELECT coalesce(sum(ai_credits_used + ai_credits_reserved), 0) FROM plans WHERE workspace_id = $1) AS credits,
       (SELECT count(*) FROM idea_comments WHERE workspace_id = $1) AS comments"""
    async with world.database.autocommit() as tx:
        row = await tx.connection.fetchrow(counts, world.workspace_id)
    assert row is not None
    return [int(value) for value in row]


@each(POSTS)
async def test_a_repeat_gets_the_first_answer_and_writes_nothing(made: Made, operation: Operation) -> None:
    async with made.world.stranger() as other:
        twin = Made(other)
        await twin.furnish()
        path = twin.path(operation)
        first = await other.client.post(path, json=operation.example, headers=KEY)
        assert first.status_code == operation.status, first.text
        once = await written(other)
        again = await other.client.post(path, json=operation.example, headers=KEY)
        assert (again.status_code, again.json()) == (first.status_code, first.json())
        assert again.headers["Idempotent-Replayed"] == "true"
        assert "Idempotent-Replayed" not in first.headers
        for name in ("ETag", "Location"):
            assert again.headers.get(name) == first.headers.get(name)
        assert await written(other) == once


OTHERS: dict[str, dict[str, object]] = {
    "create_idea": {"name": "Another name"},
    "add_idea_evidence": {"title": "Another title"},
    "add_idea_comment": {"body": "Another comment."},
    "create_signal": {"text": "Another text."},
    "create_signals": {"signals": [{"text": "Other words."}]},
    "create_initiative": {"name": "Another name"},
    "generate_initiative_document": {"type": "PRD"},
    "regenerate_initiative_document": {"type": "TDD"},
    "run_research": {"command": {"action": "prepare", "question": "How do competitors forecast demand?"}},
    "update_research": {"command": {"action": "resume", "briefId": "3f1b7a52-9d0e-4c41-8a6f-2b7c5d9e1f04"}},
}


@each([operation for operation in POSTS if operation.body_type])
async def test_another_body_under_the_same_key_is_refused(made: Made, operation: Operation) -> None:
    async with made.world.stranger() as other:
        twin = Made(other)
        await twin.furnish()
        path = twin.path(operation)
        await other.client.post(path, json=operation.example, headers=KEY)
        once = await written(other)
        answer = await other.client.post(path, json=operation.example | OTHERS[operation.name], headers=KEY)
        assert code_of(answer) == (422, "IDEMPOTENCY_KEY_REUSED")
        assert await written(other) == once


@each([operation for operation in POSTS if not operation.body_type])
async def test_no_body_counts_as_an_empty_one(made: Made, operation: Operation) -> None:
    async with made.world.stranger() as other:
        twin = Made(other)
        await twin.furnish()
        first = await other.client.post(twin.path(operation), headers=KEY)
        for body in (b"", b"{}"):
            again = await other.client.post(twin.path(operation), content=body, headers=KEY)
            assert (again.content, again.headers["Idempotent-Replayed"]) == (first.content, "true")
