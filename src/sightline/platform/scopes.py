"""Scopes of API keys, and the 403 for a key without one. Specification: Authentication, API key."""

from collections.abc import Collection
from enum import StrEnum

from sightline.platform.errors import InsufficientScope


class Scope(StrEnum):
    """Scopes of API keys. Specification: Authentication, API key."""

    IDEAS_READ = "ideas:read"
    IDEAS_WRITE = "ideas:write"
    IDEAS_DELETE = "ideas:delete"
    SIGNAL_EVIDENCE_READ = "signal-evidence:read"
    SIGNALS_READ = "signals:read"
    SIGNALS_WRITE = "signals:write"
    SIGNALS_DELETE = "signals:delete"
    INITIATIVES_READ = "initiatives:read"
    INITIATIVES_WRITE = "initiatives:write"
    RESEARCH_READ = "research:read"
    RESEARCH_RUN = "research:run"
    RESEARCH_MANAGE = "research:manage"
    STUDIES_READ = "studies:read"
    PRODUCTS_READ = "products:read"
    ACCOUNTS_READ = "accounts:read"
    INSIGHTS_READ = "insights:read"
    INSIGHTS_WRITE = "insights:write"
    OPPORTUNITIES_READ = "opportunities:read"


def require_scopes(held: frozenset[str], needed: Collection[str], any_of: Collection[str] = ()) -> None:
    """Raises InsufficientScope unless all of `needed` and, if there are any, one of `any_of` are held."""
    lacks_all = bool(any_of) and held.isdisjoint(any_of)
    if held.issuperset(needed) and not lacks_all:
        return
    missing = [f"the scope {scope}" for scope in sorted({*needed} - held)]
    if lacks_all:
        missing.append(f"one of the scopes {', '.join(sorted(any_of))}")
    raise InsufficientScope(f"The key needs {' and '.join(missing)}.", requiredScopes=sorted({*needed, *any_of}))
