"""Counting the votes for an idea by account."""

from uuid import UUID

from sightline.ideas.queries import find_id
from sightline.platform.db import Tx, sql
from sightline.platform.lists.single import LargeRecord
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Record


class AccountVotes(Record):
    """How many people of an account vote for the idea."""

    account_id: UUID
    name: str
    votes: int


class IdeaVotes(Record):
    """The votes for an idea, the account with most votes first; `withoutAccount` counts people without any account."""

    total: int
    accounts: list[AccountVotes]
    without_account: int


_TOTALS = sql("""
    SELECT count(*) AS total,
           count(*) FILTER (WHERE NOT EXISTS (
               SELECT FROM portal_user_accounts
                WHERE workspace_id = :workspace_id AND user_id = v.user_id)) AS without_account
      FROM portal_votes v WHERE v.workspace_id = :workspace_id AND v.idea_id = :idea_id""")
# As one text: 20,000 rows would hold up other requests while they are decoded.
_BY_ACCOUNT = sql("""
    SELECT coalesce(json_agg(json_build_object('accountId', id, 'name', name, 'votes', votes)
                             ORDER BY votes DESC, name, id), '[]') FROM (
    SELECT a.id, a.name, count(*) AS votes
      FROM portal_votes v
      JOIN portal_user_accounts l ON l.workspace_id = :workspace_id AND l.user_id = v.user_id
      JOIN accounts a ON a.workspace_id = :workspace_id AND a.id = l.account_id
     WHERE v.workspace_id = :workspace_id AND v.idea_id = :idea_id
     GROUP BY a.id, a.name) AS account""")

_FEW = 200  # people with accounts, of which 64 KiB show as many


async def count_votes(tx: Tx, workspace_id: UUID, ref: IdeaRef, *, at_once: bool) -> IdeaVotes:
    """Counts with two statements; `tx` is a snapshot, so that they agree.

    Raises NotFound, and LargeRecord for many votes that are counted `at_once`.
    """
    idea = await find_id(tx, workspace_id, ref)
    totals = await tx.row(_TOTALS, workspace_id=workspace_id, idea_id=idea.id)
    assert totals is not None  # noqa: S101 - a count is always one row
    if at_once and totals["total"] - totals["without_account"] > _FEW:
        raise LargeRecord
    accounts = await tx.value(_BY_ACCOUNT, workspace_id=workspace_id, idea_id=idea.id)
    return IdeaVotes(totals["total"], accounts, totals["without_account"])
