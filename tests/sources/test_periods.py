"""Which period a question names, and what is left of the question without it."""

from datetime import UTC, datetime

import pytest

from sightline.sources.periods import find_period, without_period

NOW = datetime(2026, 11, 23, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "since", "until"),
    [
        ("in the last 30 days", "2026-10-24", None),
        ("in the last seven days", "2026-11-16", None),
        ("over the past two quarters", "2026-05-27", None),
        ("last month", "2026-10-24", None),
        ("this week", "2026-11-23", None),
        ("this quarter", "2026-10-01", None),
        ("this year", "2026-01-01", None),
        ("since 2024", "2024-01-01", None),
        ("since March", "2026-03-01", None),
        ("since December", "2025-12-01", None),
        ("since Sept 2026", "2026-09-01", None),
        ("since 1 November 2026", "2026-11-01", None),
        ("since November 1, 2026", "2026-11-01", None),
        ("since 2026-11-01", "2026-11-01", None),
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("in March", "2026-03-01", "2026-04-01"),
        ("in March of 2025", "2025-03-01", "2025-04-01"),
        ("from 2021 to 2023", "2021-01-01", "2024-01-01"),
        ("from May to June 2025", "2025-05-01", "2025-07-01"),
        ("between November and February", "2025-11-01", "2026-03-01"),
        ("in den letzten 30 Tagen", "2026-10-24", None),
        ("in den letzten zwei Quartalen", "2026-05-27", None),
        ("der letzten sechs Monate", "2026-05-27", None),
        ("letzte Woche", "2026-11-16", None),
        ("im vergangenen Monat", "2026-10-24", None),
        ("seit letztem Monat", "2026-10-24", None),
        ("seit dem letzten Jahr", "2025-11-23", None),
        ("während der letzten drei Wochen", "2026-11-02", None),
        ("nach dem 3. Mai 2026", "2026-05-03", None),
        ("in diesem Quartal", "2026-10-01", None),
        ("dieses Jahr", "2026-01-01", None),
        ("seit 2024", "2024-01-01", None),
        ("seit März", "2026-03-01", None),
        ("seit Dezember", "2025-12-01", None),
        ("seit dem 3. Mai 2026", "2026-05-03", None),
        ("im Jahr 2024", "2024-01-01", "2025-01-01"),
        ("im Oktober 2025", "2025-10-01", "2025-11-01"),
        ("von Mai bis Juni 2025", "2025-05-01", "2025-07-01"),
        ("zwischen 2021 und 2023", "2021-01-01", "2024-01-01"),
    ],
)
def test_a_period_is_read_and_left_out(words: str, since: str, until: str | None) -> None:
    question = f"What do shops charge {words}?"
    period = find_period(question, NOW)
    assert period is not None
    assert period.words == words
    assert (str(period.since.date()), period.until and str(period.until.date())) == (since, until)
    assert " ".join(without_period(question).split()) == "What do shops charge ?"


@pytest.mark.parametrize(
    "question",
    [
        "Which lamps last 3 days?",
        "How do shops handle past due invoices?",
        "What changed since 2031?",
        "What may change after 30 days?",
        "What applies since 31 February 2026?",
        "Was gilt am letzten Tag?",
        "Was kostet ein Kran im Mittel?",
        "Wie viele Tage halten die letzten drei Planken?",
    ],
)
def test_other_words_name_no_period(question: str) -> None:
    assert find_period(question, NOW) is None
