"""When a cadence is due, across clock changes."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from sightline.research.schedules.cadence import RunPolicy, next_slot


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# The policy, the zone, a moment, and the next three slots, all in UTC.
NEXT = [
    ("daily", "UTC", "2026-11-20T05:59:59.999", ["2026-11-20T06:00", "2026-11-21T06:00", "2026-11-22T06:00"]),
    ("daily", "UTC", "2026-11-20T06:00", ["2026-11-21T06:00", "2026-11-22T06:00", "2026-11-23T06:00"]),
    # Berlin goes from +1 to +2 on 29 March 2026, and back on 25 October.
    ("daily", "Europe/Berlin", "2026-03-27T12:00", ["2026-03-28T05:00", "2026-03-29T04:00", "2026-03-30T04:00"]),
    ("daily", "Europe/Berlin", "2026-10-23T12:00", ["2026-10-24T04:00", "2026-10-25T05:00", "2026-10-26T05:00"]),
    ("weekly", "Europe/Berlin", "2026-03-20T12:00", ["2026-03-23T05:00", "2026-03-30T04:00", "2026-04-06T04:00"]),
    ("weekly", "Europe/Berlin", "2026-10-19T04:00", ["2026-10-26T05:00", "2026-11-02T05:00", "2026-11-09T05:00"]),
    # Sydney goes from +11 to +10 on 5 April 2026, and back on 4 October.
    ("daily", "Australia/Sydney", "2026-04-03T12:00", ["2026-04-03T19:00", "2026-04-04T20:00", "2026-04-05T20:00"]),
    ("daily", "Australia/Sydney", "2026-10-02T12:00", ["2026-10-02T20:00", "2026-10-03T19:00", "2026-10-04T19:00"]),
    ("weekly", "Australia/Sydney", "2026-10-01T00:00", ["2026-10-04T19:00", "2026-10-11T19:00", "2026-10-18T19:00"]),
    # Monday begins while it is still Sunday in UTC.
    ("weekly", "Pacific/Auckland", "2026-11-20T00:00", ["2026-11-22T17:00", "2026-11-29T17:00", "2026-12-06T17:00"]),
    ("weekly", "America/Los_Angeles", "2026-11-20T00:00", ["2026-11-23T14:00", "2026-11-30T14:00", "2026-12-07T14:00"]),
]


@pytest.mark.parametrize(("policy", "zone", "after", "slots"), NEXT)
def test_the_next_slots_are_found_on_the_calendar_of_the_zone(
    policy: RunPolicy, zone: str, after: str, slots: list[str]
) -> None:
    found, place = [], moment(after)
    for _ in slots:
        following = next_slot(policy, zone, place)
        assert following is not None
        found.append(place := following)
    assert found == [moment(slot) for slot in slots]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Australia/Sydney", "America/Santiago", "Asia/Kathmandu"])
def test_each_day_of_a_year_has_one_slot_at_six_in_the_morning(zone: str) -> None:
    place, days = moment("2025-12-31T12:00"), []
    while place < moment("2027-01-01T12:00"):
        following = next_slot("daily", zone, place)
        assert following is not None
        local = following.astimezone(ZoneInfo(zone))
        assert (local.hour, local.minute) == (6, 0)
        days.append(local.date())
        place = following
    assert {after - before for before, after in pairwise(days)} == {timedelta(days=1)}


def test_on_demand_has_none() -> None:
    assert next_slot("on_demand", "UTC", moment("2026-11-20T06:00")) is None
