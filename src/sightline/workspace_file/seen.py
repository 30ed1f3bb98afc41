"""The records that a file has named so far."""

from collections.abc import Mapping
from typing import Protocol
from uuid import UUID

from sightline.platform.db import Tx
from sightline.workspace_file import queries


class Seen(Protocol):
    """The records seen so far, by list."""

    async def note(self, list: str, paths: Mapping[UUID, str]) -> dict[UUID, str]:
        """Adds records with their paths. Returns those that were seen before, each with its first path."""


class SeenInDatabase:
    """Stored in a temporary table until the transaction ends, so that pruning statements can read it."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx

    async def note(self, list: str, paths: Mapping[UUID, str]) -> dict[UUID, str]:
        added = await self.tx.rows(queries.ADD_SEEN, list=list, ids=[*paths], paths=[*paths.values()])
        known = paths.keys() - {row["id"] for row in added}
        if not known:
            return {}
        return {row["id"]: row["path"] for row in await self.tx.rows(queries.SEEN, list=list, ids=[*known])}
