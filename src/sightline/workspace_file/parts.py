"""The parts of all rooms, and the order in which they are stored: records before those that name them."""

from typing import Any

from sightline.catalog.file import ACCOUNTS, INTEGRATIONS, PRODUCTS, SPRINTS, STATUSES, TEAMS, settle_labels
from sightline.catalog.taxonomy.file import TaxonomyPart
from sightline.documents.file import INITIATIVES
from sightline.ideas.classifications.file import follow_taxonomy
from sightline.ideas.file import IDEAS
from sightline.platform.file_parts.tables import Table
from sightline.portal.file import PORTAL, REQUESTS, USERS, VOTES
from sightline.research.file import BRIEFS, return_credits
from sightline.signals.file import SIGNALS
from sightline.signals.insights.file import INSIGHTS
from sightline.signals.opportunities.file import OPPORTUNITIES
from sightline.studies.file import FEEDBACK, STUDIES
from sightline.workspaces.file import MEMBERS, WORKSPACE

STORED = (
    "workspace", "members", "products", "teams", "ideaStatuses", "taxonomy", "accounts", "opportunities",
    "integrations", "sprints", "portal", "portal.users", "signals", "insights", "initiatives", "ideas", "studies",
    "feedback", "portal.votes", "portal.requests", "research"
)  # fmt: skip

SHOWN = (
    "workspace", "members", "products", "teams", "ideaStatuses", "taxonomy", "accounts", "opportunities",
    "integrations", "sprints", "signals", "insights", "ideas", "initiatives", "studies", "feedback", "portal",
    "research"
)  # fmt: skip

PRUNABLE = frozenset(name for name in SHOWN if name not in ("workspace", "taxonomy", "portal")) | {"products.features"}

# Rules around lists, whether the file has them or not, by the first list: what is before their `yield` runs ahead of
# it, the rest when the whole file is written.
RULES = {"products": settle_labels, "ideas": follow_taxonomy, "research": return_credits}


def _flat(*tables: Table) -> list[Table]:
    return [found for table in tables for found in (table, *_flat(*table.children))]


_ALL = (
    *_flat(WORKSPACE, MEMBERS, PRODUCTS, TEAMS, STATUSES, ACCOUNTS, INTEGRATIONS, SPRINTS, SIGNALS, INSIGHTS),
    *_flat(OPPORTUNITIES, STUDIES, FEEDBACK, INITIATIVES, IDEAS, PORTAL, USERS, VOTES, REQUESTS, BRIEFS),
)
TABLES = {table.path: table for table in _ALL}  # with nested ones
LISTS = {name: TABLES[name] for name in STORED if name in TABLES and not TABLES[name].is_single}
# The types of the parts that are no lists.
PARTS: dict[str, Any] = {"taxonomy": TaxonomyPart, "workspace": WORKSPACE.record, "portal": PORTAL.record}
