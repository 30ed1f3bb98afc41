"""The dates of an initiative."""

from datetime import date

ENDS_EARLY = "Is before startDate"


def ends_early(start: date | None, finish: date | None) -> bool:
    """Whether the initiative would finish before it starts."""
    return start is not None and finish is not None and start > finish
