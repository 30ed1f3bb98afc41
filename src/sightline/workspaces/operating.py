"""Listing and deleting workspaces, for people who operate the service."""

from uuid import UUID

from msgspec import Struct

from sightline.platform.db import Database, sql
from sightline.platform.errors import NotFound
from sightline.workspaces.tenants import LOCK_SLUG

# Every table with a workspace_id, each before those that it refers to.
TABLES = (
    "jobs",
    "model_usage",
    "idempotency_keys",
    "portal_sessions",
    "portal_used_tokens",
    "portal_waiting_forms",
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
    "idea_aliases",
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
    "insight_keys",
    "signal_accounts",
    "linked_signals",
    "signal_raw",
    "studies",
    "idea_words",
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

_WORKSPACES = sql("""
    SELECT w.slug, w.name, w.id::text AS id, c.kind, sum(c.count)::bigint AS total
      FROM workspaces AS w LEFT JOIN record_counts AS c ON c.workspace_id = w.id
     GROUP BY w.id, c.kind ORDER BY w.slug, c.kind""")
_LOCK_WORKSPACE = sql("SELECT id FROM workspaces WHERE slug = :slug FOR UPDATE")
_REMOVE_WORKSPACE = sql("DELETE FROM workspaces WHERE id = :workspace_id")


class WorkspaceLine(Struct, rename="camel"):
    """A workspace, and how many records of each kind it has."""

    slug: str
    name: str
    id: str
    counts: dict[str, int]


async def list_workspaces(db: Database) -> list[WorkspaceLine]:
    """Returns all workspaces by slug."""
    async with db.snapshot() as tx:
        rows = await tx.rows(_WORKSPACES)
    found: dict[str, WorkspaceLine] = {}
    for row in rows:
        line = found.setdefault(row["slug"], WorkspaceLine(row["slug"], row["name"], row["id"], {}))
        if row["kind"] is not None:
            line.counts[row["kind"]] = row["total"]
    return list(found.values())


async def delete_workspace(db: Database, slug: str) -> dict[str, int]:
    """Deletes a workspace with all its rows. Returns the number of rows by table. Raises NotFound."""
    async with db.transaction() as tx:
        await tx.run(LOCK_SLUG, slug=slug)
        workspace_id: UUID | None = await tx.value(_LOCK_WORKSPACE, slug=slug)
        if workspace_id is None:
            raise NotFound(f"There is no workspace {slug}.")
        removed = {}
        for table in TABLES:
            statement = sql("DELETE FROM {table} WHERE workspace_id = :workspace_id", table=table)
            removed[table] = await tx.run(statement, workspace_id=workspace_id)
        await tx.run(_REMOVE_WORKSPACE, workspace_id=workspace_id)
    return {"workspaces": 1} | {table: count for table, count in removed.items() if count}
