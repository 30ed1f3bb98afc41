"""The SQL of products, teams and accounts: reading."""

from uuid import UUID

from sightline.catalog.records import TeamSummary
from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.pages import Listing, read_page
from sightline.platform.wire import Page
from sightline.workspaces.changes import COUNT

_TEAMS = Listing("teams", "id, name", COUNT.format(kind="team"))


async def page_of_teams(tx: Tx, workspace_id: UUID, window: Window) -> Page[TeamSummary]:
    """By name."""
    rows, total = await read_page(tx, _TEAMS, Where(workspace_id), "name, id", window)
    return Page([TeamSummary(*row[:2]) for row in rows], total, window)
