"""Moments that are sent and shown. Decisions: Everywhere, Times."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.platform.wire import Moment, shown_moment

OFFSETS = st.integers(-23 * 60 - 59, 23 * 60 + 59)
MOMENTS = st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 31))
SHOWN = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z", re.ASCII)


def offset(minutes: int, *, colon: bool = True) -> str:
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    return f"{sign}{hours:02}{':' if colon else ''}{rest:02}"


def cut(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@given(at=MOMENTS, minutes=OFFSETS, colon=st.booleans())
def test_any_offset_is_understood(at: datetime, minutes: int, colon: bool) -> None:
    expected = cut(at.replace(tzinfo=timezone(timedelta(minutes=minutes))).astimezone(UTC))
    read = Moment.read(f"{at.isoformat()}{offset(minutes, colon=colon)}")
    assert (read, read.tzinfo) == (expected, UTC)


@given(at=MOMENTS)
def test_without_an_offset_it_is_utc(at: datetime) -> None:
    expected = cut(at.replace(tzinfo=UTC))
    for text in (at.isoformat(), f"{at.isoformat()}Z", f"{at.isoformat()}z", at.isoformat().replace("T", "t")):
        assert Moment.read(text) == expected


@given(on=st.dates())
def test_a_plain_date_is_its_midnight(on: "datetime") -> None:
    assert Moment.read(on.isoformat()) == datetime(on.year, on.month, on.day, tzinfo=UTC)


@given(
    at=MOMENTS, minutes=OFFSETS.filter(lambda minutes: minutes >= 0), timespec=st.sampled_from(["minutes", "seconds"])
)
def test_a_space_before_the_offset_was_a_plus(at: datetime, minutes: int, timespec: str) -> None:
    text = at.isoformat(timespec=timespec)
    assert Moment.read(f"{text} {offset(minutes)[1:]}") == Moment.read(f"{text}{offset(minutes)}")


@given(at=MOMENTS)
def test_a_shown_time_is_read_as_the_same_time(at: datetime) -> None:
    moment = cut(at.replace(tzinfo=UTC))
    shown = shown_moment(moment)
    assert SHOWN.fullmatch(shown)
    assert Moment.read(shown) == moment


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-11-20", "2026-11-20T00:00:00.000Z"),
        ("2026-11-20T09:30", "2026-11-20T09:30:00.000Z"),
        ("2026-11-20 09:30", "2026-11-20T09:30:00.000Z"),
        ("2026-11-20T09:30:00.1234567Z", "2026-11-20T09:30:00.123Z"),
        ("2026-11-20T09:30:00.9999Z", "2026-11-20T09:30:00.999Z"),
        ("2026-11-20T09:30:00,5Z", "2026-11-20T09:30:00.500Z"),
        ("2026-11-20T09:30:00-00:00", "2026-11-20T09:30:00.000Z"),
        ("2026-11-20T09:30:00+02", "2026-11-20T07:30:00.000Z"),
        ("2026-11-20T00:30:00+05:45", "2026-11-19T18:45:00.000Z"),
        ("2026-11-20T09:30:00 02:00", "2026-11-20T07:30:00.000Z"),
        ("2024-02-29", "2024-02-29T00:00:00.000Z"),
    ],
)
def test_times_may_be_written_in_these_ways(text: str, shown: str) -> None:
    assert shown_moment(Moment.read(text)) == shown


NO_MOMENTS = [
    *("", " ", "now", "today", "2026", "2026-11", "20261120", "2026-W47-5", "2026-324", "20-11-2026", "11/20/2026"),
    *("2026-13-01", "2026-02-29", "2026-11-31", "0000-01-01", "2026-1-2", "+2026-11-20", "-2026-11-20", "12026-11-20"),
    *("2026-11-20T", "2026-11-20T9:30", "2026-11-20T25:00", "2026-11-20T09:60", "2026-11-20T09:30:61", "2026-11-20Z"),
    *("2026-11-20T09:30:00.Z", "2026-11-20T09:30:00+2", "2026-11-20T09:30:00+24:00", "2026-11-20T09:30:00+02:60"),
    *("2026-11-20T09:30:00 CET", "2026-11-20T09:30:00ZZ", "2026-11-20T09:30:00Z+02:00", "2026-11-20T09", "1795167000"),
    *(
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "2026-11-20T09:30:00Z\n2",
        "2026\N{HYPHEN}11\N{HYPHEN}20",
    ),
    "\N{ARABIC-INDIC DIGIT TWO}026-11-20",
]


@pytest.mark.parametrize("text", ["0001-01-01", "0001-01-01T00:00:00Z", "0001-01-01T23:59:59Z"])
def test_the_first_day_of_all_stands_for_no_time(text: str) -> None:
    """The driver stores its beginning as -infinity, which is no time in any answer."""
    with pytest.raises(ValueError, match="from 0001-01-02 on"):
        Moment.read(text)
    assert Moment.read_exactly(text).year == 1, "in a query it is before all"


@pytest.mark.parametrize("text", NO_MOMENTS)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="ISO 8601"):
        Moment.read(text)


@pytest.mark.parametrize("value", [None, 1795167000, 1.5, True, [], {}])
def test_a_time_is_a_string(value: object) -> None:
    with pytest.raises(ValueError, match="string"):
        Moment.read(value)


@given(text=st.text(alphabet="0123456789-:TZtz+., ", max_size=32) | st.text(max_size=32))
def test_no_text_makes_it_fail_otherwise(text: str) -> None:
    try:
        read = Moment.read(text)
    except ValueError:
        return
    assert read.tzinfo is UTC
    assert read.microsecond % 1000 == 0


@pytest.mark.parametrize("fraction", ["0005", "000001", "0000001", "00000001", "000000001", "000999999"])
def test_a_bound_between_two_milliseconds_stays_between_them(fraction: str) -> None:
    start = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
    assert start < Moment.read_exactly(f"2026-11-20T09:30:00.{fraction}Z") < start + timedelta(milliseconds=1)


@pytest.mark.parametrize("fraction", ["0", "000", "000000", "000000000"])
def test_a_bound_of_whole_milliseconds_is_exact(fraction: str) -> None:
    assert Moment.read_exactly(f"2026-11-20T09:30:00.{fraction}Z") == datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
