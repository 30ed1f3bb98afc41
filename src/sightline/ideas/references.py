"""Checks that the records named in a body exist and fit together. Decisions: References in bodies."""

from uuid import UUID

from sightline.catalog.products.named import unknown_product
from sightline.ideas.labels import unknown_status
from sightline.ideas.proposal import Proposal, product_after
from sightline.ideas.queries import Stored
from sightline.platform.db import Tx, sql
from sightline.platform.errors import Fault, NotFound, ValidationFailed

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


async def check_named(tx: Tx, workspace_id: UUID, stored: Stored | None, new: Proposal, earlier: list[Fault]) -> bool:
    """Checks all records that a proposal names in one statement; runs none if it names no records.

    Returns whether the status is the promotion label. Raises, in this order: ValidationFailed (with the `earlier`
    faults) for members of sets, UnknownStatus, NotFound for a single record, ValidationFailed for features that are
    not of the product.
    """
    columns, status = new.columns, new.columns.get("status")
    product_id = product_after(stored, new) if new.feature_ids or "product_id" in columns else None
    named = {
        "status": status,
        "product_id": product_id,
        "integration_id": columns.get("integration_id"),
        "feature_ids": new.feature_ids or (),
        "insight_ids": new.insight_ids or (),
        "account_ids": new.account_ids or (),
    }
    if not any(named.values()):
        if earlier:
            raise ValidationFailed(earlier)
        return False
    row = await tx.one(CHECK_NAMED, workspace_id=workspace_id, **named)
    faults = earlier + _unknown("insightIds", row["no_insights"]) + _unknown("accountIds", row["no_accounts"])
    if faults:
        raise ValidationFailed(faults)
    if status is not None and row["is_promotion"] is None:
        raise await unknown_status(tx, workspace_id, status)
    if product_id is not None and not row["has_product"]:
        raise unknown_product("productId")
    if named["integration_id"] is not None and not row["has_integration"]:
        raise NotFound("The workspace has no such integration.", field="integrationId")
    if row["no_features"]:
        shown = ", ".join(str(id) for id in row["no_features"][:5])
        raise ValidationFailed.of("featureIds", f"Not features of the idea's product: {shown}")
    return bool(row["is_promotion"])


def _unknown(path: str, ids: list[UUID]) -> list[Fault]:
    shown = ", ".join(str(id) for id in ids[:5])
    return [Fault(path, f"Not in this workspace: {shown}")] if ids else []
