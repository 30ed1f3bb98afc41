"""The portal, its users, votes and requests in the workspace file. Never its secret, never a session."""

from collections.abc import Awaitable, Callable
from typing import Any

from sightline.ideas.vote_counts import count_votes_again
from sightline.platform.file_section import Entry, Field, Link, Part, Run, Section, Table
from sightline.platform.file_section import fields as of
from sightline.portal.settings_section import PortalPart, apply_portal, show_portal

USERS = Table(
    "portal.users",
    "portal_users",
    (
        of.word("subject"),
        of.address(),
        of.text("firstName"),
        of.text("lastName"),
        of.moment("lastSeenAt"),
    ),
    kind="portal_user",
    links=(Link("accounts", "accounts", "portal_user_accounts", "user_id", "account_id"),),
    identities=(("subject",),),
)


async def _settle_moment(run: Run, entries: list[Entry]) -> None:
    for entry in entries:
        if entry.row.get("created_at") is None:
            entry.row["created_at"] = run.tx.now


async def _count_votes(run: Run, entries: list[Entry]) -> None:
    ideas = [entry.row["idea_id"] for entry in entries if entry.is_new]
    if ideas:
        await count_votes_again(run.tx, run.workspace_id, ideas)


def _of_user(list: str, table: str, after: Callable[[Run, Any], Awaitable[None]] | None = None) -> Table:
    return Table(
        list,
        table,
        (
            of.reference("idea", "ideas", required=True),
            of.reference("user", "portal.users", required=True),
            Field("createdAt", "created_at", str, nullable=True, store=of.read_moment, show=of.show_moment),
        ),
        primary=("idea_id", "user_id"),
        keyed=False,
        stamped=False,
        order="created_at, idea_id, user_id",
        settle=_settle_moment,
        after=after,
    )


SECTION = Section(
    tables=(
        USERS,
        _of_user("portal.votes", "portal_votes", _count_votes),
        _of_user("portal.requests", "portal_requests"),
    ),
    parts=(Part("portal", PortalPart, apply_portal, show_portal),),
)
