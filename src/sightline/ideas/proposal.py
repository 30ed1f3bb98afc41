"""What a request asks of an idea, whoever sends it."""

from typing import Any, NamedTuple
from uuid import UUID

from sightline.ideas.queries import Stored


class Proposal(NamedTuple):
    """What a request asks of an idea. Columns that are left out stay, and so do sets that are None.

    `completes`: a POST. It adds to the sets of insights and accounts, which a PATCH replaces, and asks questions of an
    idea that has none. `validates`: the insights become validated; a validated one is never demoted.
    """

    columns: dict[str, Any]
    feature_ids: list[UUID] | None = None
    insight_ids: list[UUID] | None = None
    account_ids: list[UUID] | None = None
    validates: bool = False
    completes: bool = False

    @property
    def needs_facts(self) -> bool:
        """Whether a PATCH names other records, or has a description, whose features are matched."""
        return "description" in self.columns or bool(self.feature_ids or self.insight_ids or self.account_ids)


def product_after(stored: Stored | None, new: Proposal) -> UUID | None:
    """Returns the product of the idea after the write."""
    return new.columns.get("product_id") or (stored["product_id"] if stored else None)
