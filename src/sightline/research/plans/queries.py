"""The SQL that plans need: what the workspace knows of itself, its evidence and its customers."""

from uuid import UUID

from sightline.intelligence.research import PlanContext, ProductText
from sightline.platform.db import Tx, sql

MOST_PRODUCTS = 50
MOST_TEXTS = 200
MOST_CUSTOMERS = 1_000
TEXT_LENGTH = 2_000

_FIND_NAME = sql("SELECT name FROM workspaces WHERE id = :workspace_id")
_FIND_PRODUCTS = sql("""
SELECT id, name,
       ARRAY(SELECT name FROM features AS f
              WHERE f.workspace_id = :workspace_id AND f.product_id = p.id ORDER BY f.position, f.id) AS features
  FROM products AS p WHERE p.workspace_id = :workspace_id ORDER BY p.created_at, p.id LIMIT :most""")
_FIND_INSIGHTS = sql("""
SELECT left(concat_ws(E'\\n', title, description, (SELECT string_agg(said #>> '{}', E'\\n')
                                                FROM jsonb_path_query(extracts, '$[*].text') AS said)), :length) AS text
  FROM insights WHERE workspace_id = :workspace_id AND review_state <> 'rejected'
 ORDER BY created_at DESC, id DESC LIMIT :most""")
_FIND_SIGNALS = sql("""
SELECT left(concat_ws(E'\\n', s.name, r.raw ->> 'text',
                      (SELECT string_agg(said #>> '{}', E'\\n')
                         FROM jsonb_path_query(r.raw, '$.transcript.turns[0 to 99].text') AS said)), :length) AS text
  FROM (SELECT id, name, created_at, number FROM signals WHERE workspace_id = :workspace_id
         ORDER BY created_at DESC, number DESC LIMIT :most) AS s
  LEFT JOIN signal_raw AS r ON r.workspace_id = :workspace_id AND r.signal_id = s.id
 ORDER BY s.created_at DESC, s.number DESC""")
_FIND_CUSTOMERS = sql("""
SELECT name FROM accounts WHERE workspace_id = :workspace_id ORDER BY created_at DESC, id DESC LIMIT :most""")


async def find_context(tx: Tx, workspace_id: UUID) -> PlanContext:
    """What a planner may know: products with their features, the newest evidence, the names of customers."""
    products = await tx.rows(_FIND_PRODUCTS, workspace_id=workspace_id, most=MOST_PRODUCTS)
    insights = await tx.rows(_FIND_INSIGHTS, workspace_id=workspace_id, most=MOST_TEXTS, length=TEXT_LENGTH)
    signals = await tx.rows(_FIND_SIGNALS, workspace_id=workspace_id, most=MOST_TEXTS, length=TEXT_LENGTH)
    customers = await tx.rows(_FIND_CUSTOMERS, workspace_id=workspace_id, most=MOST_CUSTOMERS)
    return PlanContext(
        workspace=await tx.value(_FIND_NAME, workspace_id=workspace_id) or "",
        products=tuple(ProductText(row["id"], row["name"], tuple(row["features"])) for row in products),
        evidence=tuple(row["text"] for row in (*insights, *signals)),
        customers=tuple(row["name"] for row in customers),
        now=tx.now,
    )
