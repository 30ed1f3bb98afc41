"""Location, for every response that creates a record or a receipt. Decisions: Everywhere, Location."""

from sightline.app import API
from sightline.platform.http.operations import Operation, located
from tests.generated.made import OPERATIONS, Made, each

LOCATED = [operation for operation in OPERATIONS if operation.name in located(OPERATIONS)]


def test_what_is_created_and_can_be_read_has_an_address() -> None:
    assert {operation.name for operation in LOCATED} == {
        "create_idea",
        "create_signal",
        "create_initiative",
        "process_signal",
        "generate_initiative_document",
        "regenerate_initiative_document",
    }


@each(LOCATED)
async def test_the_location_leads_to_the_record(made: Made, operation: Operation) -> None:
    async with made.world.stranger() as other:
        twin = Made(other)
        await twin.furnish()
        for _ in range(2):
            headers = {"Idempotency-Key": "once"}
            answer = await other.client.post(twin.path(operation), json=operation.example, headers=headers)
            location = answer.headers["Location"]
            assert location.startswith(f"{API}/")
            if answer.status_code == 202:
                assert location == answer.json()["statusUrl"]
            found = await other.client.get(location.removeprefix(API))
            assert found.status_code == 200
            shown = found.json()
            assert answer.json().get("id", shown.get("id")) == shown.get("id")


@each([operation for operation in OPERATIONS if operation not in LOCATED and operation.status == 201])
async def test_what_cannot_be_read_alone_has_none(made: Made, operation: Operation) -> None:
    async with made.world.stranger() as other:
        twin = Made(other)
        await twin.furnish()
        answer = await other.client.post(twin.path(operation), json=operation.example)
        assert (answer.status_code, "Location" in answer.headers) == (201, False)
