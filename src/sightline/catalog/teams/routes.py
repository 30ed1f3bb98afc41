"""The routes of teams. Specification: Initiatives and teams."""

from sightline.catalog.teams import queries
from sightline.catalog.teams.records import TeamSummary
from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page


@operation("GET", "/teams", scopes=[Scope.INITIATIVES_READ], paging=Paging(20, 100))
async def list_teams(call: Call, window: Window) -> Page[TeamSummary]:
    """Lists the teams that work can be assigned to, by name."""
    async with call.db.autocommit() as tx:
        return await queries.page_of_teams(tx, call.actor.workspace_id, window)
