"""Operations on ideas. Specification: Ideas."""

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.ideas import change, create, delete, read, status
from sightline.ideas.change import AlreadyLinked
from sightline.ideas.identity import IdentityConflict
from sightline.ideas.labels import UnknownStatus
from sightline.ideas.records import (
    Idea,
    IdeaChanges,
    IdeaDeletion,
    IdeaFilters,
    Include,
    NewIdea,
    StatusChange,
    StatusReceipt,
)
from sightline.ideas.status import PromotionReserved, SourceManaged, SprintCompleted, StatusChanged
from sightline.platform.db import Window
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import IdeaRef
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned


@operation("GET", "/ideas/{ref}", scopes=[Scope.IDEAS_READ])
async def get_idea(call: Call, ref: IdeaRef, query: Include) -> Versioned[Idea]:
    """Gets one idea."""
    async with call.db.autocommit() as tx:
        return await read.get_idea(tx, call.actor, ref, query, at_once=call.at_once)


@operation(
    "GET",
    "/ideas",
    scopes=[Scope.IDEAS_READ],
    paging=Paging(20, 100, clamp=True, cursor=True),
    refuses=[UnknownStatus],
)
async def list_ideas(call: Call, query: IdeaFilters, window: Window) -> Page[Idea]:
    """Lists ideas, newest first; with `updatedSince` the oldest change first.

    Votes, opportunities and changes of the taxonomy move no `updatedAt`.
    """
    async with call.db.autocommit() as tx:
        return await read.list_ideas(tx, call.actor, query, window)


@operation(
    "POST",
    "/ideas",
    scopes=[Scope.IDEAS_WRITE],
    status=201,
    refuses=[UnknownStatus, NotFound, IdentityConflict, PromotionReserved, SourceManaged, Conflict],
    example={
        "description": "Export every table as a CSV file, so that analysts can work with it elsewhere.",
        "name": "CSV export",
        "sourceKey": "support-desk",
        "externalId": "ticket-4711",
    },
)
async def create_idea(call: Call, new_idea: NewIdea) -> Versioned[Idea]:
    """Creates an idea, or updates the one with the same identity.

    `sourceKey` with `externalId` is an identity, and so is `integrationId` with `externalId`; one part alone is
    stored, but is no identity. An update replaces description, name, status and product, adds insights and
    accounts, and leaves omitted fields as they are.
    """
    return await create.create_idea(call.db, call.tools[FeatureMaps], call.actor, new_idea, call.expect)


@operation(
    "PATCH",
    "/ideas/{ref}",
    scopes=[Scope.IDEAS_WRITE],
    refuses=[AlreadyLinked, Conflict],
    example={"name": "CSV export of every table", "projectId": "INITIATIVE-1", "validateInsightLinks": True},
)
async def change_idea(call: Call, ref: IdeaRef, changes: IdeaChanges) -> Versioned[Idea]:
    """Changes the fields that are sent; omitted fields stay.

    An idea belongs to at most one initiative: detach it with `projectId` null before it is attached to another.
    """
    maps = call.tools[FeatureMaps]
    return await change.change_idea(call.db, maps, call.actor, ref, changes, call.expect, at_once=call.at_once)


@operation("DELETE", "/ideas/{ref}", scopes=[Scope.IDEAS_DELETE])
async def delete_idea(call: Call, ref: IdeaRef) -> IdeaDeletion:
    """Deletes an idea for good, with its questions, comments, evidence and links."""
    async with call.db.transaction() as tx:
        return await delete.delete_idea(tx, call.actor, ref, call.expect)


@operation(
    "PATCH",
    "/ideas/{ref}/status",
    scopes=[Scope.IDEAS_WRITE],
    refuses=[UnknownStatus, StatusChanged, SprintCompleted, SourceManaged, PromotionReserved],
    example={"status": "Under review", "expectedCurrentStatus": "New"},
)
async def set_idea_status(call: Call, ref: IdeaRef, change: StatusChange) -> StatusReceipt:
    """Moves an idea to another workflow label. Returns 409 if the label is no longer `expectedCurrentStatus`."""
    return await status.set_status(call.db, call.actor, ref, change, call.expect)
