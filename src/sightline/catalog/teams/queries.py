"""The SQL of teams."""

from uuid import UUID

from sightline.catalog.teams.records import TeamSummary
from sightline.platform.db import Tx, Where, Window
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import as_structs, read_list
from sightline.platform.wire import Page
from sightline.workspaces.changes import count_of

_TEAMS = Listing("teams", "id, name", Order("teams.name", "name", "id", UUID, has_cursor=False), count_of("team"))
_AS_TEAMS = as_structs(TeamSummary)


async def page_of_teams(tx: Tx, workspace_id: UUID, window: Window) -> Page[TeamSummary]:
    """Returns teams by name."""
    return await read_list(tx, _TEAMS, Where(workspace_id), None, window, _AS_TEAMS)
