"""Operations on initiatives. Specification: Initiatives and teams."""

from sightline.initiatives import change, create, queries
from sightline.initiatives.change import ProductConflict
from sightline.initiatives.records import Initiative, InitiativeChanges, InitiativeFilters, NewInitiative
from sightline.platform.db import Window
from sightline.platform.errors import Conflict, LimitReached, NotFound, RequestIdReused, TrialExpired
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import InitiativeRef
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned


@operation("GET", "/initiatives", scopes=[Scope.INITIATIVES_READ], paging=Paging(20, 100, cursor=True))
async def list_initiatives(call: Call, filters: InitiativeFilters, window: Window) -> Page[Initiative]:
    """Lists initiatives, the most recently updated first; with `updatedSince` the oldest change first."""
    async with call.db.autocommit() as tx:
        return await queries.page_of_initiatives(tx, call.actor.workspace_id, filters, window)


@operation("GET", "/initiatives/{ref}", scopes=[Scope.INITIATIVES_READ])
async def get_initiative(call: Call, ref: InitiativeRef) -> Versioned[Initiative]:
    """Gets one initiative."""
    async with call.db.autocommit() as tx:
        return await queries.find_initiative(tx, call.actor.workspace_id, ref, at_once=call.at_once)


@operation(
    "POST",
    "/initiatives",
    scopes=[Scope.INITIATIVES_WRITE],
    role_first=True,
    status=201,
    runs_again=True,
    refuses=[RequestIdReused, NotFound, LimitReached, TrialExpired, Conflict],
    example={
        "clientRequestId": "7f3a1c1e-54e4-4c62-9a43-3f1f0b5f7a10",
        "name": "Self-service exports",
        "description": "Customers get their data out without asking support.",
        "teamIds": ["0d4f5c7e-6d0f-4a3e-8c71-2f6f8c3b9d21"],
        "priority": "HIGH",
    },
)
async def create_initiative(call: Call, new_initiative: NewInitiative) -> Versioned[Initiative]:
    """Creates an initiative in status PENDING. Nothing is generated.

    `clientRequestId` becomes its id. The same request again returns the current initiative; another body with the same
    id returns 409.
    """
    return await create.create_initiative(call.db, call.actor, new_initiative, call.expect)


@operation(
    "PATCH",
    "/initiatives/{ref}",
    scopes=[Scope.INITIATIVES_WRITE],
    refuses=[NotFound, ProductConflict, LimitReached, Conflict],
    example={"status": "IN_PROGRESS", "startDate": "2026-12-01", "finishDate": None},
)
async def change_initiative(call: Call, ref: InitiativeRef, changes: InitiativeChanges) -> Versioned[Initiative]:
    """Changes the fields that are sent; omitted fields stay. `teamIds` is the complete new assignment.

    Setting a completed or archived initiative to an active status counts against the plan's active limit.
    """
    return await change.change_initiative(call.db, call.actor, ref, changes, call.expect)
