"""What can be asked of ideas. Specification: Ideas."""

from sightline.catalog.feature_maps import FeatureMaps
from sightline.ideas import create, detail
from sightline.ideas.identity import IdentityConflict
from sightline.ideas.records import Idea, IdeaFilters, Include, NewIdea
from sightline.ideas.status import PromotionReserved, SourceManaged, UnknownStatus
from sightline.platform.access import Scope
from sightline.platform.db import Window
from sightline.platform.errors import CreatorNotAllowed, NotFound
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
    refuses=[UnknownStatus, NotFound, CreatorNotAllowed, IdentityConflict, PromotionReserved, SourceManaged],
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
