"""Checks that the records named in a body exist and fit together. Decisions: References in bodies."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sightline.catalog.products.named import unknown_product
from sightline.ideas.labels import unknown_status
from sightline.platform.db import Tx, sql
from sightline.platform.errors import Fault, NotFound, ValidationFailed


class Named(NamedTuple):
    """The records that a body names, and the product that its features have to belong to."""

    status: str | None = None
    product_id: UUID | None = None
    integration_id: UUID | None = None
    feature_ids: Sequence[UUID] = ()
    insight_ids: Sequence[UUID] = ()
    account_ids: Sequence[UUID] = ()


CHECK_NAMED = sql("""
SELECT (SELECT promotion FROM idea_statuses WHERE workspace_id = :workspace_id AND label = :status) AS is_promotion,
       EXISTS (SELECT FROM products WHERE workspace_id = :workspace_id AND id = :product_id) AS has_product,
       EXISTS (SELECT FROM integrations WHERE workspace_id = :workspace_id AND id = :integration_id) AS has_integration,
       ARRAY(SELECT unnest(:feature_ids::uuid[]) EXCEPT
             SELECT id FROM features
              WHERE workspace_id = :workspace_id AND product_id = :product_id AND id = ANY(:feature_ids)
            ) AS no_features,
       ARRAY(SELECT unnest(:insight_ids::uuid[]) EXCEPT
             SELECT id FROM insights WHERE workspace_id = :workspace_id AND id = ANY(:insight_ids)) AS no_insights,
       ARRAY(SELECT unnest(:account_ids::uuid[]) EXCEPT
             SELECT id FROM accounts WHERE workspace_id = :workspace_id AND id = ANY(:account_ids)) AS no_accounts""")


async def check_named(tx: Tx, workspace_id: UUID, named: Named, earlier: list[Fault]) -> bool:
    """Checks all named records in one statement; runs none if the body names no records.

    Returns whether the status is the promotion label. Raises, in this order: ValidationFailed (with the `earlier`
    faults) for members of sets, UnknownStatus, NotFound for a single record, ValidationFailed for features that are
    not of the product.
    """
    if not any(named):
        if earlier:
            raise ValidationFailed(earlier)
        return False
    row = await tx.one(CHECK_NAMED, workspace_id=workspace_id, **named._asdict())
    faults = earlier + _unknown("insightIds", row["no_insights"]) + _unknown("accountIds", row["no_accounts"])
    if faults:
        raise ValidationFailed(faults)
    if named.status is not None and row["is_promotion"] is None:
        raise await unknown_status(tx, workspace_id, named.status)
    if named.product_id is not None and not row["has_product"]:
        raise unknown_product("productId")
    if named.integration_id is not None and not row["has_integration"]:
        raise NotFound("The workspace has no such integration.", field="integrationId")
    if row["no_features"]:
        shown = ", ".join(str(id) for id in row["no_features"][:5])
        raise ValidationFailed.of("featureIds", f"Not features of the idea's product: {shown}")
    return bool(row["is_promotion"])


def _unknown(path: str, ids: list[UUID]) -> list[Fault]:
    shown = ", ".join(str(id) for id in ids[:5])
    return [Fault(path, f"Not in this workspace: {shown}")] if ids else []
