"""What a newcomer's second import and own map do: statuses, labels, dates by name, domains."""

import json
from pathlib import Path

import pytest

from tests.cli.test_import import Bulk, bulk, written
from tests.cli.test_import_exports import twice
from tests.cli.test_import_maps import exported

TICKET = {"id": 7, "subject": "Box", "description": "It breaks.", "created_at": "2024-09-01T07:00:00Z", "status": "new"}
__all__ = ["bulk"]


def test_a_status_counts_for_new_and_changed_signals_only(bulk: Bulk, tmp_path: Path) -> None:
    file = tmp_path / "z.jsonl"
    words = ("signals", file, "--from", "zendesk", "--json", "--map-file")
    pending = written(tmp_path / "m.yaml", "constants: {status: pending}")
    written(file, json.dumps(TICKET))
    assert bulk.load(*words, pending).json["added"] == 1
    processed = exported(bulk)
    processed["signals"][0]["status"] = "processed"
    assert bulk.site.run("workspace", "apply", written(tmp_path / "w.json", json.dumps(processed))).code == 0
    for ticket, name, status in (
        (TICKET, "unchanged", "processed"),
        (TICKET | {"status": "solved"}, "changed", "processed"),
        (TICKET | {"status": "solved", "description": "It broke again."}, "changed", "pending"),
    ):
        written(file, json.dumps(ticket))
        assert bulk.load(*words, pending).json[name] == 1
        [signal] = exported(bulk)["signals"]
        assert (signal["status"], signal["data"]["status"]) == (status, ticket["status"])


def test_labels_of_a_map_file_are_added_to_those_of_the_tool(bulk: Bulk, tmp_path: Path) -> None:
    rows = "Key,Summary,Status\nA-1,One,In Arbeit\nA-2,Two,Wartet\nA-3,Three,Fertig\n"
    labels = written(tmp_path / "m.yaml", "values: {status: {wartet: Under review, fertig: Declined}}")
    twice(bulk, "ideas", written(tmp_path / "j.csv", rows), "--from", "jira", "--map-file", labels)
    assert [one["status"] for one in exported(bulk)["ideas"]] == ["Planned", "Under review", "Declined"]


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("12.Mär.24 14:31", "2024-03-12T14:31"),
        ("1er août 2024 14:31", "2024-08-01T14:31"),
        ("12 févr. 2024 14:31", "2024-02-12T14:31"),
        ("03/Mrz/24 8:05 AM", "2024-03-03T08:05"),
        ("3. Mai 2024", "2024-05-03T00:00"),
        ("13/Okt/2023 1:05 PM", "2023-10-13T13:05"),
        ("1. Januar 2024 09:12", "2024-01-01T09:12"),
        ("24 Dez 2023", "2023-12-24T00:00"),
        ("May 4, 2023", "2023-05-04T00:00"),
        ("September 4, 2023 1:05 PM", "2023-09-04T13:05"),
        ("2023/05/04 09:12:44 +0000", "2023-05-04T09:12"),
        ("2023.5.4", "2023-05-04T00:00"),
        ("2023/05/04 9:12 PM", "2023-05-04T21:12"),
    ],
)
def test_dates_that_mean_one_day_are_read(bulk: Bulk, tmp_path: Path, cell: str, found: str) -> None:
    rows = f'ID,Title,Details,Created\n1,A,x,"{cell}"\n'
    twice(bulk, "ideas", written(tmp_path / "i.csv", rows))
    assert exported(bulk)["ideas"][0]["createdAt"].startswith(found)


def test_a_date_that_lacks_a_part_or_has_a_zone_without_an_offset_is_refused(bulk: Bulk, tmp_path: Path) -> None:
    cells = ("May 2024", "2024", "10:11", "12", "3 May 2024 10:11 PST")
    rows = "".join(f"{n},A,x,{cell}\n" for n, cell in enumerate(cells))
    done = bulk.load("ideas", written(tmp_path / "i.csv", f"ID,Title,Details,Created\n{rows}"))
    assert [line.partition(": '")[0] for line in done.err.splitlines()] == [f"line {n}: Created" for n in range(2, 7)]


def test_a_map_says_what_is_markup_nothing_or_to_be_left_out(bulk: Bulk, tmp_path: Path) -> None:
    rows = "ID,Title,Details,Status,Company\n1,A,{*}bold{*},New,-\n2,B,y,gone,-\n"
    chosen = written(tmp_path / "m.yaml", 'wiki: [description]\nempty: "-"\nleave_out: {status: gone}\n')
    done = bulk.load("ideas", written(tmp_path / "i.csv", rows), "--map-file", chosen, "--json").json
    assert (done["added"], done["leftOut"], done["faulty"]) == (1, 1, 0)
    [idea] = exported(bulk)["ideas"]
    assert (idea["description"], idea["accounts"]) == ("bold", [])


def test_a_map_gives_several_forms_of_a_date(bulk: Bulk, tmp_path: Path) -> None:
    rows = "ID,Title,Details,Created\n1,A,x,5.März.24\n2,B,x,24-12-31\n3,C,x,soon\n"
    forms = written(tmp_path / "m.yaml", 'dates: {createdAt: ["%d.%B.%y", "%y-%m-%d"]}')
    done = bulk.load("ideas", written(tmp_path / "i.csv", rows), "--map-file", forms)
    assert done.err == "line 4: Created: 'soon' is no date of the form %d.%B.%y or %y-%m-%d, which the map gives\n"
    days = [one["createdAt"][:10] for one in exported(bulk)["ideas"]]
    assert days == ["2024-03-05", "2024-12-31"]


def test_the_domain_of_an_account_is_taken_from_an_address(bulk: Bulk, tmp_path: Path) -> None:
    rows = "Kundennummer;Firma;E-Mail\n1;Adria;Koehler@Adria.example\n2;Web;https://www.garda.example/shop\n3;No;\n"
    words = ("accounts", tmp_path / "a.csv", "--map", "E-Mail=domain")
    written(tmp_path / "a.csv", rows + "4;Bad;k. A.\n")
    assert bulk.load(*words).err == "line 5: E-Mail: 'k. A.' is no domain, no website and no e-mail address\n"
    domains = {one["name"]: one["domain"] or None for one in exported(bulk)["accounts"]}
    assert domains == {"Adria": "adria.example", "Web": "garda.example", "No": None}


def test_the_first_domain_of_an_organization_is_taken(bulk: Bulk, tmp_path: Path) -> None:
    organizations = [
        {"id": 1, "name": "Adria", "domain_names": ["adria.example", "adria.test"]},
        {"id": 2, "name": "ACI", "domain_names": []},
    ]
    file = written(tmp_path / "o.json", json.dumps({"organizations": organizations}))
    twice(bulk, "accounts", file, "--map", "id=externalId")
    found = {one["name"]: one["domain"] or None for one in exported(bulk)["accounts"]}
    assert found == {"Adria": "adria.example", "ACI": None}


def test_columns_of_a_map_that_are_missing_and_dates_without_a_zone_are_named(bulk: Bulk, tmp_path: Path) -> None:
    labels = written(tmp_path / "m.yaml", "columns: {Titel: name, Gone: description}")
    file = written(tmp_path / "i.csv", "ID,Titel,Details,Created\n1,A,x,2024-03-02 9:05\n2,B,x,2024-03-02T10:05\n")
    out = bulk.load("ideas", file, "--map-file", labels).out
    assert "Columns of the map that are not in the file: 'Gone'." in out
    assert "Dates without a zone are read as UTC (Created); give a zone in a map file." in out
    zone = written(tmp_path / "z.yaml", "zone: Europe/Berlin")
    assert "without a zone" not in bulk.load("ideas", file, "--map", "Titel=name", "--map-file", zone).out


def test_a_day_without_a_time_stays_that_day_in_every_zone(bulk: Bulk, tmp_path: Path) -> None:
    zone = written(tmp_path / "z.yaml", "zone: Europe/Berlin")
    file = written(
        tmp_path / "i.csv", "ID,Title,Details,Created\n1,A,x,14.03.2019\n2,B,x,2019-01-01\n3,C,x,29.02.2019\n"
    )
    done = bulk.load("ideas", file, "--map-file", zone)
    assert done.err == (
        "line 4: Created: '29.02.2019' is no date that can be read: if it is one, give its form in a map file\n"
    )
    days = {one["name"]: one["createdAt"] for one in exported(bulk)["ideas"]}
    assert days == {"A": "2019-03-14T00:00:00.000Z", "B": "2019-01-01T00:00:00.000Z"}


def test_a_new_name_of_a_contact_changes_the_account(bulk: Bulk, tmp_path: Path) -> None:
    rows = 'externalId,name,contacts\n1,Globex,"[{""email"":""bo@globex.test"",""name"":""Bo""}]"\n2,Initech,\n'
    twice(bulk, "accounts", written(tmp_path / "a.csv", rows))
    file = written(tmp_path / "a.csv", rows.replace('""Bo""', '""Bob""'))
    for more in (("--dry-run",), ()):
        done = bulk.load("accounts", file, "--json", *more).json
        assert (done["added"], done["changed"], done["unchanged"]) == (0, 1, 1)


def test_a_merged_post_stays_merged_when_a_file_no_longer_says_so(bulk: Bulk, tmp_path: Path) -> None:
    rows = "ID,Title,Description,Merged Into ID\n1,Dark,x,\n2,Night,y,1\n"
    words = ("--from", "uservoice")
    assert twice(bulk, "ideas", written(tmp_path / "i.csv", rows), *words)["merged"] == 1
    before = exported(bulk)
    file = written(tmp_path / "i.csv", "ID,Title,Description\n1,Dark,x\n2,Night,y\n")
    done = bulk.load("ideas", file, *words, "--json").json
    assert (done["added"], done["changed"], done["unchanged"], done["merged"]) == (0, 0, 1, 1)
    assert exported(bulk) == before


def test_links_keep_their_address(bulk: Bulk, tmp_path: Path) -> None:
    link = "<a class='x' href='https://a.example/t?a=1&amp;b=2'>this <b>thread</b></a>"
    text = f"<p>See {link} and <a href='https://b.example/'>https://b.example</a>.</p>"
    twice(bulk, "ideas", written(tmp_path / "i.csv", f'ID,Title,Body\n1,A,"{text}"\n'))
    [idea] = exported(bulk)["ideas"]
    assert idea["description"] == "See this thread (https://a.example/t?a=1&b=2) and https://b.example."


def test_a_file_for_another_command_or_tool_says_which(bulk: Bulk, tmp_path: Path) -> None:
    for name in ("call.vtt", "mail.eml", "call.srt", "notes.txt", "notes.md"):
        file = written(tmp_path / name, "Hello")
        assert "sightline signals add --file" in bulk.load("signals", file).refusal
    tickets = written(tmp_path / "t.json", json.dumps({"tickets": [TICKET]}))
    for words in ((), ("--from", "productboard")):
        refusal = bulk.load("signals", tickets, *words).refusal
        assert refusal.endswith("The file looks like an export of zendesk: give --from zendesk.")


def test_our_own_signals_may_hold_the_members_of_another_tool(bulk: Bulk, tmp_path: Path) -> None:
    signal = {"key": "s", "name": "Box", "rawData": {"text": "x", "ticket": {"raw_subject": "y"}, "tickets": [1]}}
    for status, name in (("processed", "added"), ("failed", "changed"), ("failed", "unchanged")):
        done = bulk.load("signals", written(tmp_path / "s.jsonl", json.dumps(signal | {"status": status})), "--json")
        assert done.json[name] == 1
        assert exported(bulk)["signals"][0]["status"] == status


def test_a_fault_of_a_map_is_one_fault_before_the_lines(bulk: Bulk, tmp_path: Path) -> None:
    file = written(tmp_path / "z.jsonl", "".join(json.dumps(TICKET | {"id": n}) + "\n" for n in range(9)))
    for text, place in (("values: {acount: {a: b}}", "acount"), ("constants: {rating: 3}", "rating")):
        chosen = written(tmp_path / "m.yaml", text)
        done = bulk.load("signals", file, "--from", "zendesk", "--map-file", chosen)
        assert (done.code, done.err.count(f"{place!r} is no field")) == (1, 1)
    assert exported(bulk)["signals"] == []


def test_a_ticket_without_a_subject_is_named_by_its_text(bulk: Bulk, tmp_path: Path) -> None:
    text = "Guten Tag,\n\ndie Anzahlung ist seit dem 12.3. nicht verbucht.\n\nMit freundlichen Grüßen\nSabine"
    tickets = [TICKET | {"id": n, "subject": subject, "description": text} for n, subject in enumerate((None, "", " "))]
    file = written(tmp_path / "z.jsonl", "".join(json.dumps(ticket) + "\n" for ticket in tickets))
    twice(bulk, "signals", file, "--from", "zendesk")
    assert all(one["name"].startswith("Die Anzahlung ist") for one in exported(bulk)["signals"])
