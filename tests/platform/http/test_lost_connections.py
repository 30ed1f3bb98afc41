"""What a caller learns when the connection to the database is lost. Decisions: Everywhere, Errors."""

import pytest

from tests.world import World

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


async def test_a_read_changes_nothing(lab: World) -> None:
    answer = await lab.client.get("/loses-the-database")
    assert answer.status_code == 503
    assert "nothing was changed" in answer.json()["detail"]
