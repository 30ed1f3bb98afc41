"""Imports of what other tools export, and of files with headers, labels and dates of their own."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_import import Bulk, bulk, written

EXPORTS = Path(__file__).parents[1] / "imports" / "exports"
KINDS = {"productboard": "signals", "zendesk": "signals"}
FILES = {"zendesk": "zendesk.jsonl"}
__all__ = ["bulk"]


def exported(bulk: Bulk) -> dict[str, Any]:
    found: dict[str, Any] = bulk.site.records.exported(bulk.slug)
    return found


def from_tool(bulk: Bulk, tool: str, *words: str) -> Any:
    file = EXPORTS / FILES.get(tool, f"{tool}.csv")
    kind = KINDS.get(tool, "ideas")
    return bulk.load(kind, file, "--from", tool, "--unknown-accounts", "create", "--json", *words).json


@pytest.mark.parametrize("tool", ["aha", "canny", "fider", "jira", "productboard", "uservoice", "zendesk"])
def test_an_export_of_each_tool_is_imported_and_a_second_import_changes_nothing(bulk: Bulk, tool: str) -> None:
    dry = from_tool(bulk, tool, "--dry-run")
    assert dry["faults"] == []
    assert not exported(bulk)["ideas"] + exported(bulk)["signals"]
    done = from_tool(bulk, tool)
    assert [done[name] for name in ("added", "merged", "leftOut")] == [
        dry[name] for name in ("added", "merged", "leftOut")
    ]
    assert (done["faulty"], done["changed"], done["faults"]) == (0, 0, [])
    assert done["added"] + done["leftOut"] + done["merged"] == done["lines"]
    before = exported(bulk)
    again = from_tool(bulk, tool)
    assert (again["added"], again["changed"], again["faulty"]) == (0, 0, 0)
    assert again["unchanged"] == done["added"]
    assert exported(bulk) == before


def test_words_votes_and_dates_of_each_tool_arrive(bulk: Bulk, tmp_path: Path) -> None:
    portal = {"workspace": {"slug": bulk.slug}, "portal": {"alias": bulk.slug}}
    assert bulk.site.run("workspace", "apply", written(tmp_path / "w.json", json.dumps(portal))).code == 0
    for tool in ("aha", "canny", "fider", "jira", "uservoice", "productboard", "zendesk"):
        from_tool(bulk, tool)
    file = exported(bulk)
    ideas = {(idea["sourceKey"], idea["externalId"]): idea for idea in file["ideas"]}
    assert ("fider", "14") not in ideas
    assert ("zendesk", "502") not in {(one["sourceKey"], one["externalId"]) for one in file["signals"]}
    check_words(ideas)
    signals = {(one["sourceKey"], one["externalId"]): one for one in file["signals"]}
    assert signals["productboard", "0f1a-77"]["rawData"]["text"] == "It takes ten seconds to find an order."
    assert signals["zendesk", "501"]["data"]["labels"] == ["export", "bug"]
    assert sorted(user["email"] for user in file["portal"]["users"]) == ["bo@globex.test", "cy@initech.test"]
    assert len(file["portal"]["votes"]) == 2


def check_words(ideas: Any) -> None:
    fider = ideas["fider", "12"]
    assert (fider["status"], fider["importedVoteCount"]) == ("Planned", 41)
    assert fider["officialAnswer"] == "On the list for autumn."
    assert fider["provenance"]["labels"] == ["ui", "accessibility"]
    assert [one["title"] for one in fider["evidence"]] == ["Night theme"]
    assert [(one["sourceKey"], one["externalId"]) for one in fider["aliases"]] == [("fider", "14")]
    uservoice = ideas["uservoice", "9001"]
    assert uservoice["name"] == "Größere Schrift"
    assert uservoice["description"] == "Die Schrift ist zu klein.\nBitte & danke: größer"
    assert uservoice["createdAt"] == "2023-11-02T14:20:05.000Z"
    canny = ideas["canny", "65f0a1"]
    assert canny["importedVoteCount"] == 11
    assert ideas["aha", "APP-I-7"]["description"] == "We need SAML.\n- Okta\n- Entra"
    assert ideas["aha", "APP-I-8"]["createdAt"] == "2024-05-02T00:00:00.000Z"
    assert len(ideas["aha", "APP-I-7"]["accounts"]) == 2
    jira = ideas["jira", "APP-31"]
    assert jira["description"].startswith(
        "What happens\n\nAlways loops, see login.js and the log (https://ci.example/1)."
    )
    assert jira["provenance"]["labels"] == ["safari", "login"]
    assert jira["createdAt"] == "2024-03-03T16:05:00.000Z"


MAP = """
columns: {Titel: name, Beschreibung: description, Firma: accounts, Datum: createdAt, Schlagwort: provenance.labels}
values: {status: {offen: New, "in Arbeit": Planned}}
dates: {createdAt: "%d.%m.%Y %H:%M"}
zone: Europe/Berlin
constants: {sourceKey: forum}
ignore: [Intern]
html: [description]
"""
ROWS = (
    "Nr|Titel|Beschreibung|Firma|Datum|STATUS|Intern|External ID|Tag 1|Tag 2|Mond\n"
    "1|Eins|<b>Größer</b>|globex.test|02.03.2026 10:30|offen|x|a-1|eins|zwei|voll\n"
    "2|Zwei|Breiter|nobody|02.07.2026 10:30|in Arbeit|x|a-2||drei|neu\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_a_map_file_says_columns_labels_dates_and_constants(bulk: Bulk, tmp_path: Path, encoding: str) -> None:
    bulk.load("accounts", written(tmp_path / "a.csv", "externalId,name,domain\ncrm-1,Globex,globex.test\n"))
    (tmp_path / "f.csv").write_bytes(ROWS.encode(encoding))
    words = ("ideas", tmp_path / "f.csv", "--map-file", written(tmp_path / "m.yaml", MAP), "--map", "Nr=")
    done = bulk.load(*words, "--unknown-accounts", "skip", "--json").json
    assert (done["added"], done["faulty"], done["accountsLeftOut"]) == (2, 0, 1)
    assert (done["ignoredColumns"], done["delimiter"]) == (["Mond"], "|")
    one, two = exported(bulk)["ideas"]
    assert (one["name"], one["description"], one["status"]) == ("Eins", "Größer", "New")
    assert (one["createdAt"], two["createdAt"]) == ("2026-03-02T09:30:00.000Z", "2026-07-02T08:30:00.000Z")
    assert (one["sourceKey"], one["externalId"], one["provenance"]["labels"]) == ("forum", "a-1", ["eins", "zwei"])
    assert (len(one["accounts"]), two["accounts"]) == (1, [])
    assert bulk.load(*words, "--strict").code == 1


def test_many_faults_are_summed_up_by_kind(bulk: Bulk, tmp_path: Path) -> None:
    rows = "".join(f"{n},A,x,2026-{n}\n" for n in range(2_000, 2_150))
    done = bulk.load("ideas", written(tmp_path / "i.csv", "externalId,name,description,createdAt\n" + rows))
    assert done.err.splitlines()[0] == "150 faults:"
    assert done.err.splitlines()[1].startswith("150 like line 2: createdAt: ")
    assert len(done.err.splitlines()) == 2


def test_a_fault_of_several_lines_is_said_once_with_all_of_them(bulk: Bulk, tmp_path: Path) -> None:
    rows = "".join(f"k{n},{'' if n in (9, 11) else 'haul.test'}\n" for n in range(2, 14))
    done = bulk.load("accounts", written(tmp_path / "a.csv", "externalId,domain\n" + rows))
    assert done.err == "lines 2-13: name: Is needed for a new record\n"
    rows = "".join(f"k{n},{'' if n in (2, 3, 9, 11, 12, 13) else 'Haul'}\n" for n in range(2, 14))
    done = bulk.load("accounts", written(tmp_path / "a.csv", "externalId,name\n" + rows))
    assert done.err == "lines 2-3, 9, 11-13: name: Is needed for a new record\n"


def test_a_map_of_exactly_one_mebibyte_is_read(bulk: Bulk, tmp_path: Path) -> None:
    text = "columns: {Nr: externalId}\n"
    file = written(tmp_path / "m.yaml", text + "#" * (1024**2 - len(text)))
    done = bulk.load("accounts", written(tmp_path / "a.csv", "Nr,name\n1,A\n"), "--map-file", file, "--json")
    assert done.json["added"] == 1


def test_numbers_with_decimal_commas_are_read_where_the_column_has_them(bulk: Bulk, tmp_path: Path) -> None:
    rows = "study;metric;subject.type;subject.id;externalId;Score;Date\n"
    rows += "talks;ease;product;app;1;7,5;2026-03-01\ntalks;ease;product;app;2;8;2026-03-01\n"
    rows += "talks;ease;product;app;3;8.5;2026-03-01\n"
    done = bulk.load("ratings", written(tmp_path / "r.csv", rows), "--json")
    assert (json.loads(done.out)["added"], json.loads(done.out)["faults"][0]["line"]) == (2, 4)
    assert sorted(one["rating"] for one in exported(bulk)["feedback"]) == [7.5, 8]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("columns: {Title: nme}", "'nme' is no field"),
        ("zone: Mars/Base", "zone"),
        ("colums: {}", "colums"),
        ("values: {nme: {a: b}}", "values.nme"),
        ("constants: {nme: b}", "'nme' is no field"),
        ('constants: {createdAt: 1.1.2026}\ndates: {createdAt: "%d.%d.%Y"}', "is no date of the form %d.%d.%Y"),
        ("[", "is not yaml"),
        ("values: " + "{a: " * 3_000 + "b" + "}" * 3_000, "is not yaml"),
        ("#" * (1024**2 + 1), "is larger than 1 MiB"),
    ],
)
def test_a_wrong_map_is_refused(bulk: Bulk, tmp_path: Path, text: str, says: str) -> None:
    file = written(tmp_path / "i.csv", "Title,Body\nA,x\n")
    done = bulk.load("ideas", file, "--map-file", written(tmp_path / "m.yaml", text))
    assert (done.code, says.lower() in done.err.lower()) == (1, True), done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "data",
    [
        b"externalId,name,description\n1,A\x00,x\n",
        b'externalId,name,description\n1,A,"' + b"x" * 10_000_000 + b'"\n',
        b'externalId,name,description\n1,"A,x\n2,B,x\n',
        b",".join(b"c%d" % n for n in range(100_000)) + b"\n",
    ],
)
def test_hostile_csv_is_refused_in_a_line(bulk: Bulk, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "i.csv").write_bytes(data)
    done = bulk.load("ideas", tmp_path / "i.csv")
    assert done.code == 1
    assert len(done.err.splitlines()) == 1
    assert "Traceback" not in done.err


def test_an_option_that_maps_no_column_is_refused_with_the_columns(bulk: Bulk, tmp_path: Path) -> None:
    file = written(tmp_path / "i.csv", "Nr,Titel,Text\n1,A,x\n")
    below_a_title = written(tmp_path / "t.csv", "Export of 2019,,\n,,\nNr,Titel,Text\n1,A,x\n")
    for each, line in ((file, 1), (below_a_title, 3)):
        refusal = bulk.load("ideas", each, "--map", "Titl=name").refusal
        assert refusal.endswith(f"line {line}: There is no column 'Titl'. The columns are 'Nr', 'Titel', 'Text'")
    words = (
        "--map",
        "titel=name",
        "--map",
        "Gone=",
        "--map-file",
        written(tmp_path / "m.yaml", "columns: {Old: name}"),
    )
    assert bulk.load("ideas", file, *words).code == 0
