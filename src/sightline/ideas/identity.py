"""The identities of an idea: which stored idea a POST names. Decisions: Ideas, Create."""

from collections.abc import Sequence
from uuid import UUID

from sightline.ideas import queries
from sightline.ideas.proposal import Proposal
from sightline.ideas.records import NewIdea
from sightline.platform.db import Row, Tx, sql
from sightline.platform.errors import Conflict


class IdentityConflict(Conflict):
    """409: the two identities of the request name two ideas."""

    code = "IDENTITY_CONFLICT"


async def find_known(tx: Tx, workspace_id: UUID, new_idea: NewIdea, *, lock: bool = False) -> list[Row]:
    """Returns the ideas that the identities name, with the columns of queries.STATE: none, one or two.

    One part of an identity alone names no idea.
    """
    if new_idea.external_id is None or (new_idea.source_key is None and new_idea.integration_id is None):
        return []
    return await tx.rows(
        queries.LOCK_KNOWN if lock else queries.FIND_KNOWN,
        workspace_id=workspace_id,
        source_key=new_idea.source_key,
        integration_id=new_idea.integration_id,
        external_id=new_idea.external_id,
    )


def refuse_two(known: Sequence[Row]) -> None:
    """Raises IdentityConflict if the identities name two ideas."""
    if len(known) > 1:
        raise IdentityConflict("sourceKey and integrationId name two different ideas with this externalId.")


_HAS_ALIAS = sql("""
SELECT EXISTS (
       SELECT FROM idea_aliases
        WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND external_id = :external_id
          AND (source_key = :source_key OR integration_id = :integration_id))""")


async def without_alias(tx: Tx, workspace_id: UUID, stored: Row, new: Proposal) -> Proposal:
    """Returns what to store. Leaves the identity out if it would complete that of the idea by one of its aliases."""
    columns = new.columns
    given = {name: columns.get(name) for name in ("source_key", "integration_id", "external_id")}
    if all(value is None or stored[name] is not None for name, value in given.items()):
        return new
    if not await tx.value(_HAS_ALIAS, workspace_id=workspace_id, idea_id=stored["id"], **given):
        return new
    return new._replace(columns={name: value for name, value in columns.items() if name not in given})
