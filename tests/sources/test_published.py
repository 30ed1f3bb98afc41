"""Whether a date of publication lies within a window."""

from datetime import UTC, datetime

import pytest

from sightline.sources.pages import Published

SINCE = datetime(2026, 10, 23, 12, tzinfo=UTC)
UNTIL = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "day_only", "is_within"),
    [
        (SINCE, False, True),
        (datetime(2026, 10, 23, 11, 59, tzinfo=UTC), False, False),
        (datetime(2026, 10, 23, tzinfo=UTC), True, True),
        (datetime(2026, 10, 22, tzinfo=UTC), True, False),
        (UNTIL, False, True),
        (datetime(2026, 11, 22, tzinfo=UTC), True, True),
        (datetime(2026, 11, 23, tzinfo=UTC), True, False),
    ],
)
def test_a_window_includes_its_bounds_and_the_days_it_begins_and_ends_in(
    moment: datetime, day_only: bool, is_within: bool
) -> None:
    assert Published(moment, "structured", "meta", day_only).is_within(SINCE, UNTIL) is is_within


def test_an_open_window_includes_everything() -> None:
    assert Published(SINCE, "agreed", "url and text").is_within(None, None)
