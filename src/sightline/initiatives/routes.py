"""What can be asked of initiatives. Specification: Initiatives and teams."""

from sightline.initiatives import changes, create, queries
from sightline.initiatives.changes import ProductConflict
from sightline.initiatives.create import RequestIdReused
from sightline.initiatives.records import Initiative, InitiativeChanges, InitiativeFilters, NewInitiative
from sightline.platform.access import Scope
from sightline.platform.db import Window
from sightline.platform.errors import Conflict, CreatorNotAllowed, LimitReached, NotFound, TrialExpired
from sightline.platform.http.operations import Call, operation
from sightline.platform.http.queries import Paging
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Page, Versioned


@operation("GET", "/initiatives", scopes=[Scope.INITIATIVES_READ], paging=Paging(20, 100))
async def list_initiatives(call: Call, query: InitiativeFilters, window: Window) -> Page[Initiative]:
    """Lists initiatives, the most recently updated first."""
    async with call.db.read() as tx:
        return await queries.page_of_initiatives(tx, call.actor.workspace_id, query, window)


@operation("GET", "/initiatives/{ref}", scopes=[Scope.INITIATIVES_READ])
async def get_initiative(call: Call, ref: InitiativeRef) -> Versioned[Initiative]:
    """Gets one initiative."""
    async with call.db.read() as tx:
        return await queries.find_initiative(tx, call.actor.workspace_id, ref)


@operation(
    "POST",
    "/initiatives",
    scopes=[Scope.INITIATIVES_WRITE],
    status=201,
    keeps_answers="anew",
    refuses=[CreatorNotAllowed, RequestIdReused, NotFound, LimitReached, TrialExpired, Conflict],
    example={
        "clientRequestId": "7f3a1c1e-54e4-4c62-9a43-3f1f0b5f7a10",
        "name": "Self-service exports",
        "description": "Customers get their data out without asking support.",
        "teamIds": ["0d4f5c7e-6d0f-4a3e-8c71-2f6f8c3b9d21"],
        "priority": "HIGH",
    },
)
async def create_initiative(call: Call, wish: NewInitiative) -> Versioned[Initiative]:
    """Creates an initiative, which is PENDING; nothing else is generated.

    `clientRequestId` becomes its id. Sent again with the same content it answers with the initiative as it is now;
    with other content it is refused.
    """
    return await create.create_initiative(call.db, call.actor, wish, call.expect)


@operation(
    "PATCH",
    "/initiatives/{ref}",
    scopes=[Scope.INITIATIVES_WRITE],
    refuses=[CreatorNotAllowed, NotFound, ProductConflict, LimitReached, Conflict],
    example={"status": "IN_PROGRESS", "startDate": "2026-12-01", "finishDate": None},
)
async def change_initiative(call: Call, ref: InitiativeRef, wish: InitiativeChanges) -> Versioned[Initiative]:
    """Changes what is sent and leaves the rest; `teamIds` is the complete new assignment.

    Setting a completed or archived initiative to an active status counts against the plan's active limit.
    """
    return await changes.change_initiative(call.db, call.actor, ref, wish, call.expect)
