"""Scopes of API keys, and the 403 for a key without one. Specification: Authentication, API key."""

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


def require_scopes(held: frozenset[str], needed: frozenset[str], alternatives: tuple[frozenset[str], ...] = ()) -> None:
    """Raises InsufficientScope unless all of `needed` and at least one of each set of alternatives are held."""
    if needed <= held and all(some & held for some in alternatives):
        return
    missing = [f"the scope {scope}" for scope in sorted(needed - held)]
    missing += [f"one of the scopes {', '.join(sorted(some))}" for some in alternatives if not some & held]
    raise InsufficientScope(
        f"The key needs {' and '.join(missing)}.", requiredScopes=sorted(needed.union(*alternatives))
    )
