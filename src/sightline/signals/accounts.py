"""The accounts of a signal. The primary account is one of them."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from sightline.platform.errors import Fault, ValidationFailed


def with_primary(primary: UUID | None, others: Iterable[UUID]) -> list[UUID]:
    """Returns all accounts, each once, the primary one first."""
    return list(dict.fromkeys([*([primary] if primary else []), *others]))


def primary_among(primary: UUID | None, accounts: Sequence[UUID]) -> dict[str, Any]:
    """Returns the column to change when new accounts leave the primary one out: it is no longer one."""
    return {} if primary is None or primary in accounts else {"account_id": None}


def refuse_accounts(primary: UUID | None, others: Sequence[Any], unknown: Sequence[UUID]) -> None:
    """Raises ValidationFailed naming each field that has unknown accounts."""
    faults = [Fault("accountId", f"Not in this workspace: {primary}")] if primary in unknown else []
    shown = ", ".join(str(id) for id in others if id in unknown)
    faults += [Fault("accountIds", f"Not in this workspace: {shown}")] if shown else []
    if faults:
        raise ValidationFailed(faults, field=faults[0].path if len(faults) == 1 else None)
