"""The SQL of an idea's evidence."""

from uuid import UUID

from sightline.ideas.evidence.records import Evidence
from sightline.platform.db import Tx, sql
from sightline.platform.wire import Versioned, versioned

# In the order of Evidence's fields.
EVIDENCE = """
    e.id, e.title, e.description, e.extracts, e.category, e.signal_id,
    (SELECT 'SIGNAL-' || number FROM signals WHERE workspace_id = :workspace_id AND id = e.signal_id),
    iso(e.resolved_at), e.resolution, e.resolved_by, iso(e.dismissed_at), e.role, e.origin"""
_FIND = sql(f"""
SELECT {EVIDENCE}, e.version
  FROM idea_evidence e WHERE e.workspace_id = :workspace_id AND e.idea_id = :idea_id AND e.id = :id""")


async def find_evidence(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> Versioned[Evidence]:
    """Raises NotFound."""
    return versioned(Evidence, await tx.found(_FIND, workspace_id=workspace_id, idea_id=idea_id, id=id))
