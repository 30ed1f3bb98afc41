"""The records that a wish names: whether they exist and fit together. Decisions: References in bodies."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol
from uuid import UUID

from sightline.ideas.status import unknown_status
from sightline.platform.db import Tx
from sightline.platform.errors import Fault, NotFound, ValidationFailed


class Naming(Protocol):
    """A wish that may name other records."""

    @property
    def status(self) -> str | None: ...
    @property
    def integration_id(self) -> UUID | None: ...
    @property
    def feature_ids(self) -> Sequence[UUID] | None: ...
    @property
    def insight_ids(self) -> Sequence[UUID] | None: ...
    @property
    def account_ids(self) -> Sequence[UUID] | None: ...


class Named(NamedTuple):
    """What is known of the named records."""

    is_promotion: bool = False


_FIND = """
SELECT (SELECT promotion FROM idea_statuses WHERE workspace_id = $1 AND label = $2) AS is_promotion,
       EXISTS (SELECT FROM products WHERE workspace_id = $1 AND id = $3) AS has_product,
       EXISTS (SELECT FROM integrations WHERE workspace_id = $1 AND id = $4) AS has_integration,
       ARRAY(SELECT unnest($5::uuid[]) EXCEPT
             SELECT id FROM features WHERE workspace_id = $1 AND product_id = $3 AND id = ANY($5)) AS no_features,
       ARRAY(SELECT unnest($6::uuid[]) EXCEPT
             SELECT id FROM insights WHERE workspace_id = $1 AND id = ANY($6)) AS no_insights,
       ARRAY(SELECT unnest($7::uuid[]) EXCEPT
             SELECT id FROM accounts WHERE workspace_id = $1 AND id = ANY($7)) AS no_accounts"""


async def find_named(tx: Tx, workspace_id: UUID, wish: Naming, product_id: UUID | None, earlier: list[Fault]) -> Named:
    """Looks up all that is named, in one statement, or in none when nothing is.

    Raises, in this order: UnknownStatus or ValidationFailed (with the `earlier` faults) for members of sets,
    NotFound for a single record, ValidationFailed for features that are not of the product.
    """
    features, insights, accounts = wish.feature_ids or [], wish.insight_ids or [], wish.account_ids or []
    if not (wish.status or product_id or wish.integration_id or features or insights or accounts):
        if earlier:
            raise ValidationFailed(earlier)
        return Named()
    row = await tx.row(_FIND, workspace_id, wish.status, product_id, wish.integration_id, features, insights, accounts)
    assert row is not None  # noqa: S101 - a SELECT without FROM has one row
    faults = earlier + _unknown("insightIds", row["no_insights"]) + _unknown("accountIds", row["no_accounts"])
    if faults:
        raise ValidationFailed(faults, field=faults[0].path if len(faults) == 1 else None)
    if wish.status is not None and row["is_promotion"] is None:
        raise await unknown_status(tx, workspace_id, wish.status)
    if product_id is not None and not row["has_product"]:
        raise NotFound("The workspace has no such product.", field="productId")
    if wish.integration_id is not None and not row["has_integration"]:
        raise NotFound("The workspace has no such integration.", field="integrationId")
    if row["no_features"]:
        shown = ", ".join(str(id) for id in row["no_features"][:5])
        raise ValidationFailed.of("featureIds", f"Not features of the idea's product: {shown}")
    return Named(is_promotion=bool(row["is_promotion"]))


def _unknown(path: str, ids: list[UUID]) -> list[Fault]:
    shown = ", ".join(str(id) for id in ids[:5])
    return [Fault(path, f"Not in this workspace: {shown}")] if ids else []
