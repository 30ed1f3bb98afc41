"""The SQL of listing and deleting workspaces."""

from typing import Any
from uuid import UUID

import msgspec

from sightline.platform.db import Tx

# Every table with a workspace_id, each before those that it points to; a test holds this against the database.
TABLES = (
    "idempotency_keys",
    "portal_sessions",
    "portal_used_tokens",
    "portal_votes",
    "portal_requests",
    "portal_user_accounts",
    "idea_comments",
    "portal_users",
    "portals",
    "research_findings",
    "research_records",
    "research_sources",
    "research_sections",
    "research_runs",
    "research_briefs",
    "document_generations",
    "document_versions",
    "documents",
    "study_feedback",
    "signal_studies",
    "study_ideas",
    "study_initiatives",
    "idea_evidence",
    "idea_questions",
    "idea_classifications",
    "idea_features",
    "idea_opportunities",
    "idea_insights",
    "idea_accounts",
    "signal_initiatives",
    "initiative_questions",
    "initiative_features",
    "initiative_teams",
    "insight_signals",
    "insight_accounts",
    "signal_accounts",
    "linked_signals",
    "signal_raw",
    "studies",
    "ideas",
    "initiatives",
    "insights",
    "opportunities",
    "signals",
    "sprints",
    "integrations",
    "account_contacts",
    "accounts",
    "taxonomy_options",
    "taxonomy_groups",
    "taxonomy_versions",
    "idea_statuses",
    "team_members",
    "teams",
    "features",
    "products",
    "api_keys",
    "members",
    "plans",
    "changes",
    "record_counts",
    "public_numbers",
    "feed_versions",
)

_PAGE = """
SELECT w.slug, w.name, w.id::text,
       (SELECT coalesce(jsonb_object_agg(c.kind, c.n), '{}')
          FROM (SELECT kind, sum(count) AS n FROM record_counts WHERE workspace_id = w.id GROUP BY kind) AS c)
  FROM workspaces w ORDER BY w.slug"""


async def page_of_workspaces(tx: Tx) -> list[tuple[str, str, str, dict[str, int]]]:
    rows: list[Any] = await tx.rows(_PAGE)
    return [(row[0], row[1], row[2], msgspec.json.decode(row[3], type=dict[str, int])) for row in rows]


async def lock_workspace(tx: Tx, slug: str) -> UUID | None:
    """Waits for whoever writes the workspace's own records."""
    found: UUID | None = await tx.value("SELECT id FROM workspaces WHERE slug = $1 FOR UPDATE", slug)
    return found


async def remove_rows(tx: Tx, table: str, workspace_id: UUID) -> int:
    return await tx.run(f"DELETE FROM {table} WHERE workspace_id = $1", workspace_id)


async def remove_workspace(tx: Tx, workspace_id: UUID) -> None:
    await tx.run("DELETE FROM workspaces WHERE id = $1", workspace_id)
