"""The SQL of teams."""

from uuid import UUID

from sightline.catalog.teams.records import TeamSummary
from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.pages import ShortList, read_page
from sightline.platform.wire import Page
from sightline.workspaces.changes import count_of

_TEAMS = ShortList("teams", "id, name", count_of("team"))


async def page_of_teams(tx: Tx, workspace_id: UUID, window: Window) -> Page[TeamSummary]:
    """Returns teams by name."""
    rows, total = await read_page(tx, _TEAMS, Where(workspace_id), "teams.name, teams.id", window)
    return Page([TeamSummary(id, name) for id, name, _ in rows], total, window)
