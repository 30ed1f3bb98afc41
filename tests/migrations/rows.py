"""Rows to link: a workspace with a few records of every kind, whose ids are made from their names."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

import asyncpg

Connection = asyncpg.Connection

WORKSPACE = UUID(int=1)
COUNT = 6

# (link table, owner table, owner column, member table, member column, array on the owner, which links count)
LINKS = [
    ("idea_features", "ideas", "idea_id", "features", "feature_id", "feature_ids", "true"),
    ("idea_opportunities", "ideas", "idea_id", "opportunities", "opportunity_id", "opportunity_ids", "true"),
    ("idea_insights", "ideas", "idea_id", "insights", "insight_id", "insight_ids", "true"),
    ("idea_accounts", "ideas", "idea_id", "accounts", "account_id", "account_ids", "true"),
    ("initiative_teams", "initiatives", "initiative_id", "teams", "team_id", "team_ids", "true"),
    ("initiative_features", "initiatives", "initiative_id", "features", "feature_id", "feature_ids", "true"),
    ("insight_signals", "insights", "insight_id", "signals", "signal_id", "signal_ids", "true"),
    ("insight_signals", "signals", "signal_id", "insights", "insight_id", "insight_ids", "true"),
    ("insight_accounts", "insights", "insight_id", "accounts", "account_id", "account_ids", "true"),
    ("signal_accounts", "signals", "signal_id", "accounts", "account_id", "account_ids", "true"),
    ("signal_initiatives", "signals", "signal_id", "initiatives", "initiative_id", "initiative_ids", "l.accepted"),
    ("signal_studies", "signals", "signal_id", "studies", "study_id", "study_ids", "true"),
    ("study_initiatives", "studies", "study_id", "initiatives", "initiative_id", "initiative_ids", "true"),
    ("study_ideas", "studies", "study_id", "ideas", "idea_id", "idea_ids", "true"),
]

OWN_COLUMNS: dict[str, dict[str, Any]] = {
    "products": {"name": "P"},
    "features": {"name": "F", "product_id": uuid5(WORKSPACE, "products0")},
    "teams": {"name": "T"},
    "accounts": {"name": "A"},
    "opportunities": {"name": "O"},
    "signals": {
        **dict.fromkeys(("name", "context", "processor_type", "provider_type", "evidence_kind"), "x"),
        **dict.fromkeys(("analysis_profile", "source_label", "source_type"), "x"),
        "status": "processed",
    },
    "insights": {"title": "I", "category": "problem"},
    "initiatives": {"name": "I", "status": "PLANNED"},
    "ideas": {"name": "I", "description": "", "status": "New"},
    "studies": dict.fromkeys(("name", "status", "type", "phase", "app_path"), "x"),
}
MADE = dict.fromkeys(("created_at", "updated_at"), datetime(2026, 1, 1, tzinfo=UTC))
NUMBERED = ("signals", "initiatives", "ideas", "studies")


def named(table: str, number: int) -> UUID:
    return uuid5(WORKSPACE, f"{table}{number}")


async def add(connection: "Connection[asyncpg.Record]", table: str, *rows: dict[str, Any]) -> None:
    """Inserts rows of the same columns; one that is there already stays."""
    places = ", ".join(f"${place}" for place in range(1, len(rows[0]) + 1))
    await connection.executemany(
        f"INSERT INTO {table} ({', '.join(rows[0])}) VALUES ({places}) ON CONFLICT DO NOTHING",  # noqa: S608 - our names
        [tuple(row.values()) for row in rows],
    )


def record(table: str, number: int) -> dict[str, Any]:
    columns = {"workspace_id": WORKSPACE, "id": named(table, number), **OWN_COLUMNS[table], **MADE}
    return {**columns, "number": number} if table in NUMBERED else columns


async def add_world(connection: "Connection[asyncpg.Record]") -> None:
    await add(connection, "workspaces", {"id": WORKSPACE, "slug": "w", "name": "W", **MADE})
    for table in OWN_COLUMNS:
        await add(connection, table, *(record(table, number) for number in range(COUNT)))


# The rows that linked_signals has to have: one for each link of a signal.
LINKED = """
    SELECT kind, record_id, signal_id, s.created_at, s.number, s.updated_at
      FROM (SELECT 'account' AS kind, account_id AS record_id, signal_id FROM signal_accounts
            UNION ALL SELECT 'insight', insight_id, signal_id FROM insight_signals
            UNION ALL SELECT 'initiative', initiative_id, signal_id FROM signal_initiatives WHERE accepted
            UNION ALL SELECT 'study', study_id, signal_id FROM signal_studies) AS links
      JOIN signals AS s ON s.id = signal_id"""
KEPT = "SELECT kind, record_id, signal_id, created_at, number, updated_at FROM linked_signals"


async def disagreements(connection: "Connection[asyncpg.Record]") -> list[str]:
    """Every array that differs from its link table, in members or in order, and every row of linked_signals."""
    wrong = await connection.fetch(f"({LINKED} EXCEPT {KEPT}) UNION ALL ({KEPT} EXCEPT {LINKED})")
    found = [f"linked_signals: {tuple(row)}" for row in wrong]
    for link_table, owner, owner_column, _, member_column, array, counts in LINKS:
        statement = f"""
            SELECT id, {array}, fresh FROM {owner} AS o, LATERAL (
                SELECT coalesce(array_agg(l.{member_column} ORDER BY l.link), '{{}}') AS fresh FROM {link_table} AS l
                 WHERE l.workspace_id = o.workspace_id AND l.{owner_column} = o.id AND {counts}) AS links
            WHERE {array} <> fresh"""  # noqa: S608 - our names
        found += [
            f"{owner}.{array} of {row[0]}: {row[1]}, linked: {row[2]}" for row in await connection.fetch(statement)
        ]
    return found
