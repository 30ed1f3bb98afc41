"""The feeds that are measured: as many signals and ratings as ideas, loaded straight into their tables."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sightline.platform.db import Position
from sightline.platform.http.cursors import write_cursor
from sightline.platform.ids import new_id
from sightline.signals.filters import NEWEST
from sightline.studies.filters import SUBMITTED

ACCOUNTS = 100
STUDIES = 20
PORTION = 20_000


@dataclass(frozen=True, slots=True)
class Feeds:
    """What asking for feeds sensibly takes: accounts, and the places near the end of each."""

    size: int
    accounts: list[UUID]
    signals_deep: str
    feedback_deep: str

    @property
    def deep(self) -> int:
        return self.size * 9 // 10


# Half of all from one helpdesk, a tenth of it failed; each with an account. What triggers would keep is written here.
_SIGNALS = """
INSERT INTO signals (workspace_id, id, number, name, status, context, signal_type, processor_type, provider_type,
                     evidence_kind, analysis_profile, source_label, source_type, external_id, source_links, data,
                     account_id, account_ids, created_at, updated_at)
SELECT $1, md5('signal' || n)::uuid, n, 'What was said in call ' || n,
       CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'processed' END, 'support', 'support_ticket', 'text',
       (ARRAY['helpdesk', 'calls', 'store', 'helpdesk'])[1 + n % 4], 'support', 'customer_evidence', 'Helpdesk',
       (ARRAY['helpdesk', 'calls', 'store', 'helpdesk'])[1 + n % 4], 'ticket-' || n,
       '[{"name": "Ticket", "url": "https://helpdesk.test/1", "type": "ticket", "primary": true}]',
       '{"priority": 2, "tags": ["export"]}', account, ARRAY[account],
       '2024-01-01'::timestamptz + n * interval '1 minute',
       '2024-01-01'::timestamptz + (n * 7919 % $4) * interval '1 minute'
  FROM generate_series($2::bigint, $3::bigint) AS n
 CROSS JOIN LATERAL (SELECT ($5::uuid[])[1 + n % cardinality($5::uuid[])] AS account) AS of"""
_LINKS = (
    "INSERT INTO signal_accounts (workspace_id, signal_id, account_id) "
    "SELECT workspace_id, id, account_id FROM signals WHERE workspace_id = $1",
    "INSERT INTO linked_signals (workspace_id, kind, record_id, signal_id, paths, created_at, number, updated_at) "
    "SELECT workspace_id, 'account', account_id, id, 1, created_at, number, updated_at FROM signals "
    "WHERE workspace_id = $1",
)
_FEEDBACK = """
INSERT INTO study_feedback (workspace_id, id, study_id, rating, metric, subject_type, subject_id, comment, submitted_at,
                            source, account_id, created_at, updated_at)
SELECT $1, md5('rating' || n)::uuid, ($4::uuid[])[1 + n % cardinality($4::uuid[])], n % 11,
       (ARRAY['satisfaction', 'effort'])[1 + n % 2], 'idea', md5('idea' || n % 1000)::uuid,
       'It saves us a walk to the desk each time.', '2024-01-01'::timestamptz + n * interval '1 minute',
       'study_completion',
       ($5::uuid[])[1 + n % cardinality($5::uuid[])], now(), now()
  FROM generate_series($2::bigint, $3::bigint) AS n"""


async def add_feeds(connection: Any, workspace: UUID, size: int) -> Feeds:
    """Foreign keys and triggers need not look at what is right already."""
    accounts, studies = [new_id() for _ in range(ACCOUNTS)], [new_id() for _ in range(STUDIES)]
    await connection.execute(
        "INSERT INTO accounts (workspace_id, id, name, external_id, created_at, updated_at) "
        "SELECT $1, id, 'Account ' || n, 'crm-' || n, now(), now() "
        "FROM unnest($2::uuid[]) WITH ORDINALITY AS a (id, n)",
        *(workspace, accounts),
    )
    await connection.execute(
        "INSERT INTO studies (workspace_id, id, number, name, status, type, phase, app_path, created_at, updated_at) "
        "SELECT $1, id, n, 'Study ' || n, 'active', 'survey', 'discovery', '/studies/' || n, now(), now() "
        "FROM unnest($2::uuid[]) WITH ORDINALITY AS s (id, n)",
        *(workspace, studies),
    )
    await connection.execute("SET session_replication_role = replica")
    for first in range(1, size + 1, PORTION):
        last = min(first + PORTION - 1, size)
        await connection.execute(_SIGNALS, workspace, first, last, size, accounts)
        await connection.execute(_FEEDBACK, workspace, first, last, studies, accounts)
    for statement in _LINKS:
        await connection.execute(statement, workspace)
    await connection.execute("RESET session_replication_role")
    for kind in ("signal", "study_feedback"):
        await connection.execute("INSERT INTO record_counts VALUES ($1, $2, 0, $3)", workspace, kind, size)
    return Feeds(size, accounts, *await _deep(connection, workspace, size))


async def _deep(connection: Any, workspace: UUID, size: int) -> tuple[str, str]:
    """Where nine tenths of each feed lie behind."""
    number = max(1, size - size * 9 // 10)
    signal = await connection.fetchval(
        "SELECT created_at FROM signals WHERE workspace_id = $1 AND number = $2", workspace, number
    )
    rating = await connection.fetchrow(
        "SELECT submitted_at, id FROM study_feedback WHERE workspace_id = $1 AND submitted_at >= $2 "
        "ORDER BY submitted_at, id LIMIT 1",
        *(workspace, signal + timedelta(minutes=size * 9 // 10 - number)),
    )
    places = Position(NEWEST.name, signal, number), Position(SUBMITTED.name, rating[0], rating[1])
    return write_cursor(places[0]), write_cursor(places[1])
