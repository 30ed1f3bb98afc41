"""How an app's published rating moved since the previous run, where the published figures allow to say so.

A store publishes a rounded average and a count. Of two such pairs the ratings in between number c2 - c1, and their mean
is (a2 c2 - a1 c1) / (c2 - c1), with an error of at most (h1 c1 + h2 c2) / (c2 - c1), h being half of the last digit.
"""

from decimal import Decimal
from typing import Final, NamedTuple

LARGEST_ERROR: Final = Decimal("0.05")  # stars


class Published(NamedTuple):
    """A rating as a storefront published it; an imported one may not know which."""

    storefront: str | None
    rating: float | None
    rating_count: int | None


class Moved(NamedTuple):
    """How many ratings were added and their mean, or why that cannot be said."""

    added: int | None
    mean: float | None
    reason: str | None


def moved_since(before: Published | None, now: Published | None) -> Moved:
    """The mean is given where its error is at most 0.05 stars.

    `now` is None where the store did not answer or has no such app, `before` where no earlier run has a rating.
    """
    if now is None or now.rating_count is None:
        return Moved(None, None, "unavailable")
    if before is None or before.rating_count is None:
        return Moved(None, None, "first_run")
    if before.storefront not in (None, now.storefront):
        return Moved(None, None, "different_storefront")
    if now.rating_count <= before.rating_count:
        return Moved(None, None, "unchanged" if now.rating_count == before.rating_count else "count_decreased")
    mean = _mean(before, now)
    return Moved(now.rating_count - before.rating_count, mean, None if mean is not None else "precision")


def _mean(before: Published, now: Published) -> float | None:
    earlier, later = (Decimal(str(one.rating or 0)) for one in (before, now))
    counts = before.rating_count or 0, now.rating_count or 0
    if now.rating is None or (before.rating is None and counts[0]):
        return None
    added = counts[1] - counts[0]
    error = (_half_digit(earlier) * counts[0] + _half_digit(later) * counts[1]) / added
    mean = (later * counts[1] - earlier * counts[0]) / added
    if error > LARGEST_ERROR or not 1 <= mean <= 5:
        return None
    return float(round(mean, 2))


def _half_digit(rating: Decimal) -> Decimal:
    """Half of the last digit that was published: 4.5 may stand for anything from 4.45 to 4.55."""
    exponent = rating.normalize().as_tuple().exponent
    digits = min(exponent, 0) if isinstance(exponent, int) else 0
    return Decimal(1).scaleb(digits) / 2
