"""CSV says the same as JSON Lines: names of fields in its first line, parts of fields by dotted names."""

from time import monotonic
from typing import Any

import pytest

from sightline.platform.db import Database
from sightline.platform.errors import ValidationFailed
from tests.imports.loading import THEN, base, counts, csv_lines, faults, load
from tests.workspace_file.files import by_key, exported

# For each kind a record, and the same as columns and cells.
SAME: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "ideas": (
        {
            "key": "i",
            "number": 17,
            "name": 'Say "so"; then,\nagain',
            "description": " as it is ",
            "product": "app",
            "features": ["csv"],
            "portalVisible": True,
            "insights": ["a", {"insight": "b", "validated": True}],
            "provenance": {"method": "crm", "by": "Ada"},
            "questions": [{"key": "q", "question": "Why?"}],
        },
        {
            "key": "i",
            "number": "17",
            "name": 'Say "so"; then,\nagain',
            "description": " as it is ",
            "product": "app",
            "features": "csv",
            "portalVisible": "TRUE",
            "insights": '["a", {"insight": "b", "validated": true}]',
            "provenance.method": "crm",
            "provenance.by": "Ada",
            "questions": '[{"key": "q", "question": "Why?"}]',
            "comments": "",
        },
    ),
    "accounts": (
        {"key": "a", "externalId": "007", "name": "1", "contacts": [{"email": "bo@a.test"}]},
        {"key": "a", "externalId": "007", "name": "1", "contacts": '[{"email": "bo@a.test"}]'},
    ),
    "insights": (
        {"key": "i", "title": "true", "accounts": ["initech", "hooli"], "extracts": [{"text": "So."}]},
        {"key": "i", "title": "true", "accounts": "initech; hooli;", "extracts": '[{"text": "So."}]'},
    ),
    "feedback": (
        {
            "key": "f",
            "study": "talks",
            "rating": 7.5,
            "metric": "ease",
            "subject": {"type": "product", "id": "app"},
            "submittedAt": THEN,
        },
        {
            "key": "f",
            "study": "talks",
            "rating": "7.5",
            "metric": "ease",
            "subject.type": "product",
            "subject.id": "app",
            "submittedAt": THEN,
        },
    ),
    "signals": (
        {
            "key": "s",
            "name": "S",
            "providerType": "help_desk",
            "data": {"n": 1},
            "source": {"type": "zoom", "external_data": {"a": "b"}},
            "transcript": {"durationSeconds": 61.5, "speakers": ["Bo", "Cy"]},
            "import": {"batch": 7},
        },
        {
            "key": "s",
            "name": "S",
            "providerType": "help_desk",
            "data": '{"n": 1}',
            "source.type": "zoom",
            "source.external_data.a": "b",
            "transcript.durationSeconds": "61.5",
            "transcript.speakers": "Bo;Cy",
            "import": '{"batch": 7}',
        },
    ),
}


async def _place(database: Database) -> str:
    accounts = [{"key": "initech", "name": "Initech"}, {"key": "hooli", "name": "Hooli"}]
    return await base(database, accounts=accounts, insights=[{"key": "a", "title": "A"}, {"key": "b", "title": "B"}])


@pytest.mark.parametrize("kind", SAME)
async def test_csv_and_json_lines_give_the_same(database: Database, kind: str) -> None:
    record, cells = SAME[kind]
    slug = await _place(database)
    assert counts(await load(database, slug, kind, [record])) == (1, 0, 0, 0)
    there = await exported(database, slug)
    lines = csv_lines(list(cells), list(cells.values()))
    done = await load(database, slug, kind, lines)
    assert counts(done) == (0, 0, 1, 0), done.faults
    other = await _place(database)
    assert counts(await load(database, other, kind, b"\xef\xbb\xbf" + lines, format="csv")) == (1, 0, 0, 0)
    here = await exported(database, other)
    left = ("id", "createdAt", "updatedAt")
    found, expected = (
        next(
            {name: value for name, value in one.items() if name not in left}
            for one in file[kind]
            if one["key"] == cells["key"]
        )
        for file in (here, there)
    )
    assert found.keys() == expected.keys()
    plain = {name for name, value in record.items() if isinstance(value, str | int | float)}
    assert {name: found[name] for name in plain - {"product", "study"}} == {
        name: expected[name] for name in plain - {"product", "study"}
    }


@pytest.mark.parametrize("separator", [",", ";", "\t"])
async def test_cells_are_separated_by_commas_semicolons_or_tabs(database: Database, separator: str) -> None:
    slug = await base(database, accounts=[])
    head = separator.join(["\n\nkey", '"name"', "domain"])
    rows = [
        ["a", f'"A{separator} or\nB"', "a.test"],
        ["b", "B,;", ""] if separator == "\t" else ["b", "B", ""],
        ["c", "C"],
    ]
    lines = "\n".join([head, *(separator.join(row) for row in rows)]).encode()
    done = await load(database, slug, "accounts", lines)
    assert (counts(done), faults(done)) == ((2, 0, 0, 1), {(7, ""): "Has 2 cells; the first line has 3"})
    found = by_key((await exported(database, slug))["accounts"])
    assert found["a"]["name"] == f"A{separator} or\nB"


async def test_rows_that_do_not_fit_are_reported_by_the_line_they_start_in(database: Database) -> None:
    slug = await base(database, accounts=[])
    rows = [
        b"key,name,domain,createdAt",
        'a,"Ä'.encode(),
        'lfé",,'.encode(),
        b"",
        b"b,B",
        b"c,C,,,",
        b'd,"D"x,,',
        b'e,E,,"no moment"',
        b"f,F\xff,,",
        b"g,\0,,",
        b"h,H,h.test,2026-03-01",
        b'i,"I,,',
        b"j,J,,",
    ]
    done = await load(database, slug, "accounts", b"\n".join(rows))
    assert counts(done) == (2, 0, 0, 7)
    assert faults(done).keys() == {(5, ""), (6, ""), (7, ""), (8, "createdAt"), (9, ""), (10, "name"), (12, "")}
    assert faults(done)[5, ""] == "Has 2 cells; the first line has 4"
    assert faults(done)[9, ""] == "Byte 4 of line 9 is 0xFF, which is not UTF-8: save the file as UTF-8"
    assert faults(done)[12, ""] == (
        "Is not CSV: unexpected end of data; a quote may not be closed: the lines 12 to 13 are read as one row"
    )


async def test_a_row_in_another_encoding_says_which_byte_is_wrong(database: Database) -> None:
    slug = await base(database, accounts=[])
    lines = 'key,name\na,"Ada\nMüller",\nb,"Zoë\nKrüger"\nc,"x\n'.encode("latin-1") + ("é" * 9).encode()
    done = await load(database, slug, "accounts", lines)
    assert faults(done)[2, ""] == "Byte 2 of line 3 is 0xFC, which is not UTF-8: save the file as UTF-8"
    assert faults(done)[4, ""] == "Byte 6 of line 4 is 0xEB, which is not UTF-8: save the file as UTF-8"
    assert faults(done)[6, ""] == (
        "Is not CSV: unexpected end of data; a quote may not be closed: the lines 6 to 7 are read as one row"
    )


async def test_a_first_line_in_another_encoding_ends_it(database: Database) -> None:
    slug = await base(database)
    with pytest.raises(ValidationFailed) as refused:
        await load(database, slug, "accounts", "key,größe\n".encode("latin-1") + ("é" * 9).encode())
    [fault] = refused.value.extras["errors"]
    assert fault.message == "Byte 7 of line 1 is 0xF6, which is not UTF-8: save the file as UTF-8"


async def test_a_product_that_is_given_by_its_name_is_refused_with_its_key(database: Database) -> None:
    twins = [{"key": key, "name": "Twin"} for key in ("two", "one")]
    products = [{"key": "app", "name": "Acme App", "features": [{"key": "csv", "name": "CSV export"}]}, *twins]
    slug = await base(database, products=products)
    rows = [
        ["a", "x", "Acme App", ""],
        ["b", "x", "Acme", ""],
        ["c", "x", "app", "CSV export"],
        ["d", "x", "Twin", ""],
        ["e", "x", "app", "csv"],
    ]
    done = await load(database, slug, "ideas", csv_lines(["key", "description", "product", "features"], *rows))
    assert faults(done) == {
        (2, "product"): "'Acme App' is a name in products: give the key, app",
        (3, "product"): "There is no 'Acme' in products",
        (4, "features[0]"): "'CSV export' is a name in products.features: give the key, csv",
        (5, "product"): "'Twin' is a name in products: give the key, one or two",
    }


async def test_a_cell_that_is_no_number_no_flag_or_no_json_is_a_fault(database: Database) -> None:
    slug = await base(database)
    head = ["key", "name", "description", "number", "portalVisible", "provenance", "features"]
    rows = [["a", "A", "x", "seven", "", "", ""], ["b", "B", "x", "", "maybe", "", ""]]
    rows += [["c", "C", "x", "", "", "{no", ""], ["d", "D", "x", "", "", "", "[1]"], ["e", "E", "x", "01", "", "", ""]]
    found = faults(await load(database, slug, "ideas", csv_lines(head, *rows)))
    assert found.keys() == {(2, "number"), (3, "portalVisible"), (4, "provenance"), (5, "features[0]"), (6, "number")}


async def test_a_first_line_that_names_no_fields_ends_a_strict_import(database: Database) -> None:
    slug = await base(database)
    lines = b"key,nme,,subject.id,data.a.b,name, name ,contacts,contacts.email\n"
    with pytest.raises(ValidationFailed) as refused:
        await load(database, slug, "accounts", lines, strict=True)
    messages = " ".join(fault.message for fault in refused.value.extras["errors"])
    for name in ("'nme'", "column 3", "'subject.id'", "'data.a.b'", "'name' and 'name'", "'contacts.email'"):
        assert name in messages


async def test_a_first_line_of_very_many_columns_ends_it_at_once(database: Database) -> None:
    slug = await base(database)
    many = ",".join(["key", "name", *(f"data.field{n}" for n in range(40_000))]).encode() + b"\n"
    start = monotonic()
    with pytest.raises(ValidationFailed) as refused:
        await load(database, slug, "signals", many)
    assert monotonic() - start < 5
    [fault] = refused.value.extras["errors"]
    assert (fault.path, fault.message) == ("line 1", "Has 40002 columns; at most 1000 can be read")


async def test_a_thousand_columns_are_read(database: Database) -> None:
    slug = await base(database)
    names = [f"data.field{n}" for n in range(998)]
    lines = csv_lines(["key", "name", *names], ["a", "A", *(["x"] * 998)])
    assert counts(await load(database, slug, "signals", lines)) == (1, 0, 0, 0)
    [signal] = (await exported(database, slug))["signals"]
    assert len(signal["data"]) == 998


async def test_several_columns_fill_a_list_with_each_item_once(database: Database) -> None:
    slug = await _place(database)
    insights = ['["a"]', '[{"insight": "b", "validated": true}, "a"]', '[{"validated": true, "insight": "b"}]']
    head = ["key", "description", *(f"insights {n}" for n in range(3)), "accounts 1", "accounts 2", "accounts 3"]
    lines = csv_lines(head, ["i", "A", *insights, "hooli", "initech;hooli", "initech"])
    done = await load(database, slug, "ideas", lines)
    assert counts(done) == (1, 0, 0, 0), done.faults
    idea = by_key((await exported(database, slug))["ideas"])["i"]
    assert (len(idea["insights"]), len(idea["accounts"])) == (2, 2)


@pytest.mark.slow
async def test_two_columns_of_very_many_items_fill_a_list(database: Database) -> None:
    """The time that it takes grows with their number, not with the square."""
    slug = await base(database)
    start = monotonic()
    cells = [";".join(f"{column}{n}" for n in range(60_000)) for column in "ab"]
    done = await load(
        database, slug, "ideas", csv_lines(["key", "name", "accounts 1", "accounts 2"], ["i", "A", *cells])
    )
    assert counts(done) == (0, 0, 0, 1)
    assert monotonic() - start < 15


async def test_a_quote_that_is_never_closed_does_not_fill_the_memory(database: Database) -> None:
    slug = await base(database, accounts=[])
    lines = b'key,name\na,A\nb,"B\n' + (b"x" * 99 + b"\n") * 90_000 + b"c,C\n"
    found = faults(await load(database, slug, "accounts", lines))
    assert found[3, ""] == ("Is longer than 8 MiB; a quote may not be closed: the lines 3 to 83890 are read as one row")
    assert len(found) == 100


async def test_very_many_empty_rows_are_passed_over(database: Database) -> None:
    """The time that it takes grows with their number, not with the square."""
    start = monotonic()
    lines = b"\n" * 50_000 + b"key,name\n" + b"\n" * 50_000 + b"a,A\n"
    done = await load(database, await base(database), "accounts", lines, format="csv")
    assert counts(done) == (1, 0, 0, 0)
    assert monotonic() - start < 15


async def test_headers_that_are_repeated_are_passed_over(database: Database) -> None:
    slug = await base(database, accounts=[])
    done = await load(database, slug, "accounts", b"key,name\na,A\nkey, name\nb,name\n")
    assert (counts(done), sorted(by_key((await exported(database, slug))["accounts"]))) == ((2, 0, 0, 0), ["a", "b"])


@pytest.mark.parametrize("data", [b"", b"\n\n", b"key,name\n", b"\xef\xbb\xbf"])
async def test_a_file_without_records_does_nothing(database: Database, data: bytes) -> None:
    assert counts(await load(database, await base(database), "accounts", data)) == (0, 0, 0, 0)


async def test_a_cell_of_many_digits_among_the_first_rows_is_read(database: Database) -> None:
    lines = csv_lines(["key", "name", "description"], ["i", "Digits", f"{'1' * 200_000}."])
    done = await load(database, await base(database), "ideas", lines, format="csv")
    assert counts(done) == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("column", "cell"), [("createdAt", f"2026-01-01{' ' * 60_000}x"), ("domain", f"{'a' * 60_000} x")]
)
async def test_a_long_cell_that_is_no_date_or_no_domain_is_a_fault(database: Database, column: str, cell: str) -> None:
    """The time that it takes grows with its length, not with the square."""
    lines = csv_lines(["key", "name", column], ["a", "A", cell])
    found = faults(await load(database, await base(database), "accounts", lines, format="csv"))
    assert found.keys() == {(2, column)}
