"""Files as other tools give them: exports that nobody wrote for the maps, ZIP files, JSON documents, rows per vote."""

import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_import import Bulk, bulk, written
from tests.cli.test_import_maps import EXPORTS, exported

UNSEEN = EXPORTS / "unseen"
FILES = {  # the tool, the kind, and how many are added, merged and left out
    "fider-posts.csv": ("fider", "ideas", 5, 2, 0),
    "jira-cloud.csv": ("jira", "ideas", 3, 0, 0),
    "jira-german.csv": ("jira", "ideas", 2, 0, 0),
    "zendesk-cursor.json": ("zendesk", "signals", 3, 0, 1),
    "zendesk-view.csv": ("zendesk", "signals", 2, 0, 0),
}
ROWS = """Post ID,Title,Details,Votes,Voter Email,Company,Tags
1,Dark,please,3,a@x.test,X,"ui,night"
2,Light,yes,1,b@x.test,,
1,Dark,please,3,B@y.test,Y,ui
1,Dark,please,3,,X,eyes
3,Wide,,0,,,
"""
__all__ = ["bulk"]


def packed(file: Path, members: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file


def twice(bulk: Bulk, kind: str, file: Path, *words: str | Path) -> Any:
    """Returns the result of an import, after a dry run that says the same and a second import that changes nothing."""
    words = (kind, file, *words, "--unknown-accounts", "create", "--json")
    before = exported(bulk)
    dry = bulk.load(*words, "--dry-run").json
    assert exported(bulk) == before
    done = bulk.load(*words).json
    same = ("lines", "added", "changed", "faulty", "merged", "leftOut", "united", "votesAdded", "faults")
    assert {name: done[name] for name in same} == {name: dry[name] for name in same}
    assert done["lines"] == sum(done[name] for name in ("added", "changed", "faulty", "merged", "leftOut", "united"))
    before = exported(bulk)
    again = bulk.load(*words).json
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, done["added"] + done["changed"])
    assert again["votesAdded"] == 0
    assert exported(bulk) == before
    return done


@pytest.mark.parametrize("name", FILES)
def test_an_export_that_was_not_written_for_a_map_is_imported(bulk: Bulk, name: str) -> None:
    tool, kind, *expected = FILES[name]
    done = twice(bulk, kind, UNSEEN / name, "--from", tool)
    assert [done["added"], done["merged"], done["leftOut"]] == expected
    assert done["faulty"] == 0


def test_what_these_exports_say_arrives(bulk: Bulk) -> None:
    for name, (tool, kind, *_) in FILES.items():
        bulk.load(kind, UNSEEN / name, "--from", tool, "--unknown-accounts", "create")
    file = exported(bulk)
    ideas = {(one["sourceKey"], one["externalId"]): one for one in file["ideas"]}
    assert ideas["fider", "9"]["description"] == "Pay by fax"
    assert [one["externalId"] for one in ideas["fider", "1"]["aliases"]] == ["12", "3"]
    assert ideas["jira", "PROD-12"]["name"] == "Schnellerer Export; auch für Excel"  # the later file
    assert ideas["jira", "PROD-15"]["createdAt"] == "2024-02-29T23:59:00.000Z"
    assert ideas["jira", "PROD-13"]["sprint"] is None
    signals = {one["externalId"]: one for one in file["signals"]}
    assert signals["35437"]["name"] == "No subject here, but the app crashes"
    assert signals["35436"]["data"]["labels"] == ["billing", "enterprise"]


def test_a_backup_of_fider_brings_voters(bulk: Bulk, tmp_path: Path) -> None:
    portal = {"workspace": {"slug": bulk.slug}, "portal": {"alias": bulk.slug}}
    assert bulk.site.run("workspace", "apply", written(tmp_path / "w.json", json.dumps(portal))).code == 0
    backup = {f"backup/{one.name}": one.read_bytes() for one in (UNSEEN / "fider-backup").iterdir()}
    done = twice(bulk, "ideas", packed(tmp_path / "fider.zip", backup), "--from", "fider")
    assert (done["added"], done["merged"], done["leftOut"], done["votesAdded"]) == (3, 1, 1, 4)
    assert done["file"] == "backup/posts.json"
    file = exported(bulk)
    [dark] = [one for one in file["ideas"] if one["externalId"] == "1"]
    assert (dark["status"], dark["importedVoteCount"]) == ("Planned", 1)
    assert [one["externalId"] for one in dark["aliases"]] == ["3"]
    emails = {user["id"]: user["email"] for user in file["portal"]["users"]}
    votes = {(vote["idea"], emails[vote["user"]]) for vote in file["portal"]["votes"]}
    assert {email for idea, email in votes if idea == dark["id"]} == {"bran@north.example", "sansa@north.example"}


def test_a_zip_is_read_as_the_file_in_it(bulk: Bulk, tmp_path: Path) -> None:
    tickets = (UNSEEN / "zendesk-cursor.json").read_bytes()
    members: dict[str, str | bytes] = {
        "out/Tickets-2024.json": tickets,
        "users.csv": "id\n1\n",
        "__MACOSX/tickets.json": "",
        "readme.txt": "",
    }
    done = twice(bulk, "signals", packed(tmp_path / "z.zip", members), "--from", "zendesk")
    assert (done["added"], done["file"]) == (3, "out/Tickets-2024.json")
    one = packed(tmp_path / "one.zip", {"x.csv": "Titel;Text;Nr\nGröße;x;1\n".encode("cp1252")})
    words = ("--map", "Nr=externalId", "--map", "Text=description")
    assert twice(bulk, "ideas", one, *words)["encoding"] == "Windows-1252"
    assert "Read x.csv as Windows-1252" in bulk.load("ideas", one, *words).out


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"a.csv": "x", "b.csv": "x"}, "has a.csv, b.csv. Unpack it"),
        ({"posts-1.csv": "x", "posts-2.csv": "x", "users.csv": "x"}, "has posts-1.csv, posts-2.csv. Unpack it"),
        ({"a.pdf": "x", "b.zip": "x"}, "has no CSV or JSON"),
    ],
)
def test_a_zip_without_one_fitting_file_is_refused(
    bulk: Bulk, tmp_path: Path, members: dict[str, str | bytes], says: str
) -> None:
    assert says in bulk.load("ideas", packed(tmp_path / "z.zip", members)).refusal


def with_size(file: Path, size: int) -> Path:
    """Makes the ZIP say another size of its only member, unpacked."""
    data = file.read_bytes()
    local, central = data.index(b"PK\x03\x04") + 22, data.index(b"PK\x01\x02") + 24
    data = data[:local] + struct.pack("<I", size) + data[local + 4 :]
    file.write_bytes(data[:central] + struct.pack("<I", size) + data[central + 4 :])
    return file


def test_a_zip_that_is_broken_hostile_or_a_pipe_is_refused(bulk: Bulk, tmp_path: Path) -> None:
    sound = "externalId,name,description\n" + "".join(f"{n},Name,text\n" for n in range(3_000))
    file = packed(tmp_path / "z.zip", {"ideas.csv": sound})
    data = file.read_bytes()
    assert "more than 2048 MiB" in bulk.load("ideas", with_size(file, 2**32 - 2)).refusal
    file.write_bytes(data)
    assert "is damaged" in bulk.load("ideas", with_size(file, 10)).err
    file.write_bytes(data[:100])
    assert "is damaged" in bulk.load("ideas", file).refusal
    place = data.index(b"PK\x01\x02") + 8
    file.write_bytes(data[:place] + b"\x01" + data[place + 1 :])
    assert "is encrypted" in bulk.load("ideas", file).refusal
    with bulk.loading("-") as process:
        _, err = process.communicate(data)
    assert b"cannot be read from a pipe" in err
    assert "idea" not in bulk.sizes()
    assert "cannot be read" in bulk.load("ideas", packed(file, {"posts.json": "[1"}), "--from", "fider").refusal


IDEA = {"id": "7", "title": "A", "details": "x"}


@pytest.mark.parametrize(
    "document",
    [
        json.dumps([IDEA]),
        json.dumps({"hasMore": False, "posts": [IDEA]}),
        json.dumps({"meta": {"page": 1}, "data": [IDEA], "next": None}, indent=2),
        "\ufeff" + json.dumps([IDEA], indent=1),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_json_document_is_read_as_its_list(bulk: Bulk, tmp_path: Path, document: str, encoding: str) -> None:
    file = tmp_path / "posts.json"
    file.write_bytes(document.removeprefix("\ufeff" if encoding == "utf-16" else "").encode(encoding))
    words = ("--map", "id=externalId", "--map", "title=name", "--rejects", tmp_path / "r.jsonl")
    assert twice(bulk, "ideas", file, *words)["added"] == 1


def test_a_fault_in_a_json_document_has_the_place_of_its_record(bulk: Bulk, tmp_path: Path) -> None:
    records = [IDEA, {"id": "8"}, IDEA | {"id": "9"}]
    file = written(tmp_path / "posts.json", json.dumps({"posts": records}, indent=1))
    words = ("ideas", file, "--map", "id=externalId", "--rejects", tmp_path / "r.jsonl")
    assert bulk.load(*words).err == "line 2: description: Is needed for a new record\n"
    refused = json.loads((tmp_path / "r.jsonl").read_text())
    assert (refused["id"], len(refused["reasons"])) == ("8", 1)
    cut = written(file, json.dumps({"posts": records})[:-9])
    assert "is not JSON" in bulk.load(*words[:1], cut, *words[2:4]).err
    other = written(file, json.dumps({"people": records}, indent=1))
    assert "without a list of records" in bulk.load("ideas", other).refusal


def test_several_rows_of_an_idea_are_one(bulk: Bulk, tmp_path: Path) -> None:
    portal = {"workspace": {"slug": bulk.slug}, "portal": {"alias": bulk.slug}}
    assert bulk.site.run("workspace", "apply", written(tmp_path / "w.json", json.dumps(portal))).code == 0
    far = "".join(f"n{n},Name {n},text,0,,,\n" for n in range(1_500)) + "1,Dark,please,3,c@z.test,Z,\n"
    done = twice(bulk, "ideas", written(tmp_path / "i.csv", ROWS + far), "--from", "canny")
    assert (done["added"], done["united"], done["votesAdded"], done["accountsAdded"]) == (1_503, 3, 4, 3)
    file = exported(bulk)
    [dark] = [one for one in file["ideas"] if one["externalId"] == "1"]
    assert (len(dark["accounts"]), dark["importedVoteCount"]) == (3, 0)
    assert dark["provenance"]["labels"] == ["ui", "night", "eyes"]


def test_rows_that_contradict_each_other_are_refused_with_their_line(bulk: Bulk, tmp_path: Path) -> None:
    rows = ROWS + "1,Darker,please,3,c@y.test,,\n2,,,,,nobody,\n"
    done = bulk.load("ideas", written(tmp_path / "i.csv", rows), "--from", "canny", "--rejects", tmp_path / "r.csv")
    assert done.code == 1
    refused = (tmp_path / "r.csv").read_text("utf-8-sig").splitlines()
    assert [line.partition(",")[0] for line in refused] == ["Post ID", "1", "2", "1", "1", "1", "2"]
    assert "name: Is not as in line 2, which has the same identity" in done.err


def test_votes_without_an_address_are_counted_apart(bulk: Bulk, tmp_path: Path) -> None:
    rows = "ID,Title,Comments,Description,Voters\n7,Dunkel,5,Bitte,Bo; Cy; a@x.test\n8,Hell,0,Ja,\n"
    done = twice(bulk, "ideas", written(tmp_path / "i.csv", rows))
    assert (done["votesAdded"], done["ignoredColumns"]) == (1, ["Comments"])
    one, two = exported(bulk)["ideas"]
    assert (one["externalId"], one["importedVoteCount"], two["importedVoteCount"]) == ("7", 2, 0)


GUESTS = """Gästewünsche Export vom 12.03.2026;;;;;
;;;;;
Nr.;Wunsch;Beschreibung;Hotel;Eingegangen am;Priorität
1;Später auschecken;"Gäste möchten ""am Sonntag"" bis 14 Uhr bleiben;
kostet 10 €";Hotel Adler;1.2.2026;hoch
2;Größere Kissen;"<p>Die Kissen sind <b>zu klein</b> &amp; hart.</p>";;12.02.2026 09:05;mittel
;;;;;
Summe;2;;;;
"""


def test_votes_may_come_in_a_file_of_their_own(bulk: Bulk, tmp_path: Path) -> None:
    bulk.load(
        "ideas",
        written(tmp_path / "posts.csv", "Post ID,Title,Details\n1,Dark,please\n2,Light,yes\n"),
        "--from",
        "canny",
    )
    rows = "Post ID,Voter Email,Company\n1,x@y.test,Globex\n1,z@y.test,Initech\n1,,\n2,x@y.test,Globex\n"
    done = twice(bulk, "ideas", written(tmp_path / "votes.csv", rows), "--from", "canny")
    assert (done["changed"], done["united"], done["votesAdded"]) == (2, 2, 3)
    ideas = {one["externalId"]: one for one in exported(bulk)["ideas"]}
    assert (ideas["1"]["description"], len(ideas["1"]["accounts"])) == ("please", 2)
    assert len(exported(bulk)["portal"]["votes"]) == 3
    none = written(tmp_path / "none.csv", "Post ID,Voter Email\n9,x@y.test\n")
    assert "description: Is needed for a new record" in bulk.load("ideas", none, "--from", "canny").err


def test_a_spreadsheet_with_a_title_and_a_sum_is_read(bulk: Bulk, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_bytes(GUESTS.encode("cp1252"))
    done = bulk.load("ideas", tmp_path / "g.csv", "--map", "Wunsch=name")
    assert "with headers in line 3" in done.out
    assert done.err == "line 8: description: Is needed for a new record\n"
    first, second = exported(bulk)["ideas"]
    assert (first["name"], first["createdAt"]) == ("Später auschecken", "2026-02-01T00:00:00.000Z")
    assert first["description"] == 'Gäste möchten "am Sonntag" bis 14 Uhr bleiben;\nkostet 10 €'
    assert second["description"] == "Die Kissen sind zu klein & hart."
    none = written(tmp_path / "n.csv", "a,b\n" * 30)
    assert "'a', 'b' are no fields of ideas" in bulk.load("ideas", none).refusal


NOTES = """Title,Content,User Email,Company,Tags,Source,Initiative,Created At
Call with Globex,<p>They <i>export</i> weekly</p>,bo@globex.test,Globex,"export,speed",gmail,Growth,2026-02-03T10:00:00Z
,検索が遅い,cy@initech.test,Initech,,slack,,2026-02-04
"""


def test_records_without_an_id_are_known_by_what_they_say(bulk: Bulk, tmp_path: Path) -> None:
    done = twice(bulk, "signals", written(tmp_path / "notes.csv", NOTES), "--from", "productboard")
    assert (done["added"], done["knownBy"]) == (2, ["name", "rawData", "createdAt"])
    signals = {one["name"]: one for one in exported(bulk)["signals"]}
    assert signals["検索が遅い"]["rawData"]["text"] == "検索が遅い"
    assert signals["Call with Globex"]["data"]["source"] == "gmail"
    rows = "Title,Text,Voter\nDark,x,a@x.test\nDark,x,b@x.test\nLight,y,\n"
    done = twice(bulk, "ideas", written(tmp_path / "ideas.csv", rows))
    assert (done["added"], done["united"], done["votesAdded"], done["knownBy"]) == (2, 1, 2, ["name"])
    assert {one["externalId"] for one in exported(bulk)["ideas"]} == {"Dark", "Light"}
    assert twice(bulk, "accounts", written(tmp_path / "a.csv", "Company,Website\nGlobex,globex.test\n"))["changed"] == 1


@pytest.mark.parametrize("encoding", ["cp932", "utf-8", "utf-16"])
def test_japanese_texts_are_read(bulk: Bulk, tmp_path: Path, encoding: str) -> None:
    text = "ID,Title,Description,Created\n1,検索を速くしてほしい①,請求書の検索に十秒かかります。,2026/03/05\n"
    (tmp_path / "i.csv").write_bytes(text.encode(encoding, "ignore"))
    done = bulk.load("ideas", tmp_path / "i.csv", "--json")
    assert done.json["encoding"] == {"cp932": "MS932"}.get(encoding, encoding.upper())
    [idea] = exported(bulk)["ideas"]
    assert (idea["name"], idea["createdAt"]) == ("検索を速くしてほしい①", "2026-03-05T00:00:00.000Z")


EVENTS = """Nummer	Titel	Beschreibung	Kunde	Erstellt am	Stimmen
V-1	Mehr Parkplätze	Besucher finden "keinen" Platz	Stadt Köln	03.02.2026 08:15:00	1.204
V-2	Garderobe	Bitte	Stadt Bonn	4.2.2026, 9:05	3,0
V-3	WLAN	Kein Netz in Halle 3<br>und im Foyer		31.12.25	12
V-4	Bühne	x		3/2/2026	1
"""


def test_numbers_and_dates_are_written_as_elsewhere(bulk: Bulk, tmp_path: Path) -> None:
    (tmp_path / "e.tsv").write_bytes(EVENTS.encode("utf-16"))
    done = bulk.load("ideas", tmp_path / "e.tsv", "--unknown-accounts", "create")
    assert done.err == (
        "line 5: Erstellt am: '3/2/2026' may mean several days: give 'day first' or 'month first', its form"
        " or a zone in a map file\n"
    )
    ideas = exported(bulk)["ideas"]
    assert [one["importedVoteCount"] for one in ideas] == [1204, 3, 12]
    days = ["2026-02-03T08:15:00.000Z", "2026-02-04T09:05:00.000Z", "2025-12-31T00:00:00.000Z"]
    assert [one["createdAt"] for one in ideas] == days
    assert ideas[2]["description"] == "Kein Netz in Halle 3\nund im Foyer"
