"""What a caller learns when the connection to the database is lost. Decisions: Everywhere, Errors."""

import asyncio

import pytest

from sightline.platform.http.middleware import request_counter
from tests.waiting import until, until_blocked
from tests.world import API, World

# At COMMIT the trigger ends the session that commits.
DOOMED = """
CREATE TABLE doomed (id integer GENERATED ALWAYS AS IDENTITY);
CREATE OR REPLACE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER ends AFTER INSERT ON doomed DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION end_session()"""


@pytest.mark.parametrize(("at_commit", "is_certain"), [(True, False), (False, True)])
async def test_that_nothing_was_changed_is_said_where_it_is_certain(
    empty_lab: World, at_commit: bool, is_certain: bool
) -> None:
    async with empty_lab.database.autocommit() as tx:
        await tx.connection.execute(f"DROP TABLE IF EXISTS doomed; {DOOMED}")
    answer = await empty_lab.client.post("/losses", json={"atCommit": at_commit})
    assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
    assert answer.headers["Retry-After"]
    detail = answer.json()["detail"]
    assert ("nothing was changed" in detail) is is_certain
    assert ("Idempotency-Key" in detail) is not is_certain


async def test_what_another_request_of_the_connection_changed_does_not_count(lab: World) -> None:
    async with lab.database.autocommit() as tx:
        await tx.connection.execute(f"DROP TABLE IF EXISTS doomed; {DOOMED}")
    key = (await lab.key("all")).encode()
    head = b"POST /api/external/v1/%s HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
    requests = [
        head % (path, key, len(body)) + body
        for path, body in ((b"things", b'{"name": "a"}'), (b"losses", b'{"atCommit": false}'))
    ]
    reader, writer = await asyncio.open_connection("127.0.0.1", int(lab.address.rpartition(":")[2]))
    writer.write(b"".join(requests))  # pipelined
    answers = [await asyncio.wait_for(reader.readuntil(b"}"), 30) for _ in range(2)]
    writer.close()
    assert b" 201 " in answers[0]
    assert b"nothing was changed" in answers[1]


async def test_a_read_changes_nothing(lab: World) -> None:
    answer = await lab.client.get("/loses-the-database")
    assert answer.status_code == 503
    assert "nothing was changed" in answer.json()["detail"]


async def test_a_large_record_is_read_for_nobody_who_is_gone(world: World) -> None:
    idea = (await world.client.post("/ideas", json={"description": "Large. " * 20_000})).json()["id"]
    request = f"GET {API}/ideas/{idea} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {await world.key('all')}\r\n\r\n"
    read, gone = (request_counter("get_idea", status)._value for status in (200, 0))
    before = read.get(), gone.get()
    async with world.database.transaction() as tx:
        await tx.connection.execute("LOCK TABLE ideas")
        for _ in range(3):
            _, writer = await asyncio.open_connection("127.0.0.1", int(world.address.rpartition(":")[2]))
            writer.write(request.encode())
            await until_blocked(world.database)
            writer.close()
        await until(lambda: writer.transport.is_closing())
        assert (await world.client.get("/teams")).status_code == 200  # so the server has read what came before
    assert (await world.client.get(f"/ideas/{idea}")).status_code == 200
    await until(lambda: gone.get() == before[1] + 3)
    assert read.get() == before[0] + 1
