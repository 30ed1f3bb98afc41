"""Which records a file has named so far, however long it is."""

from collections.abc import Mapping
from typing import Protocol
from uuid import UUID

from sightline.platform.db import Tx
from sightline.workspace_file import queries


class Seen(Protocol):
    """What was seen, by list."""

    async def note(self, list: str, paths: Mapping[UUID, str]) -> dict[UUID, str]:
        """Notes records with their paths; answers those that were seen before, each with its first path."""


class SeenInDatabase:
    """Until the transaction ends, where statements that prune can ask for it too."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx

    async def note(self, list: str, paths: Mapping[UUID, str]) -> dict[UUID, str]:
        fresh = {row[0] for row in await self.tx.rows(queries.SEE, list, [*paths], [*paths.values()])}
        known = [id for id in paths if id not in fresh]
        return {row["id"]: row["path"] for row in await self.tx.rows(queries.SEEN, list, known)} if known else {}
