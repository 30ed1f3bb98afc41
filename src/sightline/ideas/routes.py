"""What can be asked of ideas. Specification: Ideas."""

from sightline.catalog.feature_maps import FeatureMaps
from sightline.ideas import changes, create, detail, matching, status
from sightline.ideas.changes import AlreadyLinked
from sightline.ideas.identity import IdentityConflict
from sightline.ideas.matching import MatchingStale
from sightline.ideas.records import (
    Idea,
    IdeaChanges,
    IdeaDeletion,
    IdeaFilters,
    Include,
    MatchingReceipt,
    NewIdea,
    StatusChange,
    StatusReceipt,
)
from sightline.ideas.status import PromotionReserved, SourceManaged, SprintCompleted, StatusChanged, UnknownStatus
from sightline.platform.access import Scope
from sightline.platform.db import Window
from sightline.platform.errors import Conflict, CreatorNotAllowed, NotFound
from sightline.platform.http.operations import Call, operation
from sightline.platform.http.queries import Paging
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Page, Versioned


@operation("GET", "/ideas/{ref}", scopes=[Scope.IDEAS_READ])
async def get_idea(call: Call, ref: IdeaRef, query: Include) -> Versioned[Idea]:
    """Gets one idea."""
    async with call.db.read() as tx:
        return await detail.get_idea(tx, call.actor, ref, query)


@operation("GET", "/ideas", scopes=[Scope.IDEAS_READ], paging=Paging(20, 100, clamp=True))
async def list_ideas(call: Call, query: IdeaFilters, window: Window) -> Page[Idea]:
    """Lists ideas, newest first."""
    async with call.db.read() as tx:
        return await detail.list_ideas(tx, call.actor, query, window)


@operation(
    "POST",
    "/ideas",
    scopes=[Scope.IDEAS_WRITE],
    status=201,
    keeps_answers=True,
    refuses=[UnknownStatus, NotFound, CreatorNotAllowed, IdentityConflict, PromotionReserved, SourceManaged, Conflict],
    example={
        "description": "Export every table as a CSV file, so that analysts can work with it elsewhere.",
        "name": "CSV export",
        "sourceKey": "support-desk",
        "externalId": "ticket-4711",
    },
)
async def create_idea(call: Call, wish: NewIdea) -> Versioned[Idea]:
    """Creates an idea, or updates the one with the same identity.

    `sourceKey` with `externalId` is an identity, and so is `integrationId` with `externalId`; one part alone is
    stored and is none. An update replaces description, name, status and product, adds insights and accounts, and
    leaves everything that was omitted.
    """
    return await create.create_idea(call.db, call.tool(FeatureMaps), call.actor, wish, call.expect)


@operation(
    "PATCH",
    "/ideas/{ref}",
    scopes=[Scope.IDEAS_WRITE],
    refuses=[CreatorNotAllowed, AlreadyLinked, Conflict],
    example={"name": "CSV export of every table", "projectId": "INITIATIVE-1", "validateInsightLinks": True},
)
async def change_idea(call: Call, ref: IdeaRef, wish: IdeaChanges) -> Versioned[Idea]:
    """Changes what is sent and leaves the rest.

    An idea belongs to at most one initiative: detach it with `projectId` null before it is attached to another.
    """
    return await changes.change_idea(call.db, call.tool(FeatureMaps), call.actor, ref, wish, call.expect)


@operation("DELETE", "/ideas/{ref}", scopes=[Scope.IDEAS_DELETE], refuses=[CreatorNotAllowed])
async def delete_idea(call: Call, ref: IdeaRef) -> IdeaDeletion:
    """Deletes an idea for good, with its questions, comments, evidence and links."""
    async with call.db.write() as tx:
        return await changes.delete_idea(tx, call.actor, ref, call.expect)


@operation(
    "PATCH",
    "/ideas/{ref}/status",
    scopes=[Scope.IDEAS_WRITE],
    refuses=[UnknownStatus, CreatorNotAllowed, StatusChanged, SprintCompleted, SourceManaged, PromotionReserved],
    example={"status": "Under review", "expectedCurrentStatus": "New"},
)
async def set_idea_status(call: Call, ref: IdeaRef, wish: StatusChange) -> StatusReceipt:
    """Moves an idea to another workflow label; refuses when the label moved meanwhile."""
    return await status.set_status(call.db, call.actor, ref, wish, call.expect)


@operation(
    "POST",
    "/ideas/{ref}/match-features",
    scopes=[Scope.IDEAS_WRITE],
    status=201,
    refuses=[CreatorNotAllowed, MatchingStale],
)
async def match_idea_features(call: Call, ref: IdeaRef) -> MatchingReceipt:
    """Matches an idea with the features of its product.

    Clear matches that rest on the idea's own words are applied, uncertain ones are suggestions; a manual selection,
    also an empty one, and a result that would be the same stay.
    """
    return await matching.match_features(call.db, call.tool(FeatureMaps), call.actor, ref, call.expect)
