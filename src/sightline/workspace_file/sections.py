"""The sections of all rooms, and the order in which they are stored: records before those that name them."""

from functools import cache
from types import MappingProxyType
from typing import Any

from sightline.catalog.file import SECTION as CATALOG
from sightline.documents.file import DOCUMENTS, DocumentedInitiative
from sightline.ideas.file import SECTION as IDEAS
from sightline.initiatives.file import section_with as initiatives_with
from sightline.platform.file_section.tables import Object, Section, Table
from sightline.portal.file import SECTION as PORTAL
from sightline.research.file import SECTION as RESEARCH
from sightline.signals.file import SECTION as SIGNALS
from sightline.studies.file import SECTION as STUDIES
from sightline.workspaces.file import SECTION as WORKSPACES

SECTIONS: tuple[Section, ...] = (
    WORKSPACES,
    CATALOG,
    SIGNALS,
    STUDIES,
    initiatives_with(DocumentedInitiative, DOCUMENTS),
    IDEAS,
    PORTAL,
    RESEARCH,
)

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


RULED = {section.tables[0].path: section.rules for section in SECTIONS if section.rules}  # by the first list


def _flat(tables: tuple[Table, ...]) -> list[Table]:
    return [found for table in tables for found in (table, *_flat(table.children))]


@cache
def all_tables() -> MappingProxyType[str, Table]:
    """Returns every table, with nested ones, by the path of its list."""
    return MappingProxyType({table.path: table for section in SECTIONS for table in _flat(section.tables)})


@cache
def lists() -> MappingProxyType[str, Table]:
    """Returns the lists that are read and stored record by record."""
    tables = all_tables()
    return MappingProxyType({name: tables[name] for name in STORED if name in tables and not tables[name].is_single})


@cache
def parts() -> MappingProxyType[str, Any]:
    """Returns the types of the parts that are no lists."""
    singles = {path: table.record for path, table in all_tables().items() if table.is_single}
    return MappingProxyType({name: found.type for name, found in objects().items()} | singles)


@cache
def objects() -> MappingProxyType[str, Object]:
    return MappingProxyType({found.name: found for section in SECTIONS for found in section.objects})
