"""Active taxonomies, read once per version and cached by the process."""

from collections import OrderedDict
from uuid import UUID

from sightline.catalog.taxonomy.groups import Taxonomy, find_taxonomy
from sightline.platform.db import Tx

_CAPACITY = 256  # workspaces


class Taxonomies:
    """A cache that drops the least recently used taxonomy first. A version of a taxonomy never changes."""

    def __init__(self) -> None:
        self._kept: OrderedDict[UUID, Taxonomy] = OrderedDict()

    async def find(self, tx: Tx, workspace_id: UUID, version_id: UUID | None) -> Taxonomy:
        """Returns the active taxonomy. `version_id` is the active version as it was just read; None: there is none."""
        if version_id is None:
            return Taxonomy()
        kept = self._kept.get(workspace_id)
        if kept is None or kept.id != version_id:
            kept = self._kept[workspace_id] = await find_taxonomy(tx, workspace_id)
            if len(self._kept) > _CAPACITY:
                self._kept.popitem(last=False)
        self._kept.move_to_end(workspace_id)
        return kept
