"""The SQL of teams."""

from uuid import UUID

from sightline.catalog.teams.records import TeamSummary
from sightline.platform.db import Tx, Where, Window
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.wire import Page
from sightline.workspaces.changes import count_of

_BY_NAME = Order("teams.name", "name", "id", UUID, has_cursor=False)
_TEAMS = Listing("teams", TeamSummary, "id, name", _BY_NAME, count_of("team"))


async def page_of_teams(tx: Tx, workspace_id: UUID, window: Window) -> Page[TeamSummary]:
    """Returns teams by name."""
    return await read_list(tx, _TEAMS, Where(workspace_id), window)
