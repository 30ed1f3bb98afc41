"""Files as people have them: titles above the headers, columns of several trades, labels that nobody mapped."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_import import Bulk, bulk, written
from tests.cli.test_import_exports import packed, twice
from tests.cli.test_import_maps import exported

__all__ = ["bulk"]


def test_a_title_may_have_another_delimiter_than_the_table(bulk: Bulk, tmp_path: Path) -> None:
    rows = "Export vom 3. März, erstellt von Anna, Team A\nsep=;\n\nNr.;Titel;Beschreibung\n1;Eins;Groß, breit, hoch\n"
    (tmp_path / "g.csv").write_bytes(rows.encode("cp1252"))
    done = twice(bulk, "ideas", tmp_path / "g.csv")
    assert (done["added"], done["delimiter"], done["headerLine"]) == (1, ";", 4)
    [idea] = exported(bulk)["ideas"]
    assert (idea["name"], idea["description"]) == ("Eins", "Groß, breit, hoch")


def test_a_title_may_be_the_name_of_a_field(bulk: Bulk, tmp_path: Path) -> None:
    rows = "Company\nid;name;domain\n1;Viking;viking.test\n2;Stena;stena.test\n"
    done = twice(bulk, "accounts", written(tmp_path / "a.csv", rows))
    assert (done["added"], done["delimiter"], done["headerLine"]) == (2, ";", 2)
    assert {one["name"] for one in exported(bulk)["accounts"]} == {"Viking", "Stena"}


def test_an_empty_list_of_a_document_hides_no_other(bulk: Bulk, tmp_path: Path) -> None:
    document = {"posts": [], "ideas": [{"externalId": "a", "description": "A"}]}
    done = bulk.load("ideas", written(tmp_path / "d.json", json.dumps(document)), "--json")
    assert done.json["added"] == 1


@pytest.mark.parametrize(
    ("form", "cells"),
    [
        ("day first", ["04/13/2025", "-2025-04-03", "2025-13-04"]),
        ("month first", ["13/04/2025", "Sunday, 3.4.2025", "10:00 3.4.2025"]),
        (
            None,
            [
                "4.13.2025",
                "05.13.25",
                "2025-04-03 10:00 UTC+2",
                "Thu Apr 3 2025 10:00:00 GMT+0200 (CEST)",
                "2025-04-03 2025-04-04",
                "3.4.2025 10:00-11:00",
                "030425",
                "25-04-03",
                "1.13.0",
                "12 Mar 3",
                "1." * 20_000,
            ],
        ),
    ],
)
def test_no_date_is_read_as_another(bulk: Bulk, tmp_path: Path, form: str | None, cells: list[str]) -> None:
    written(tmp_path / "map.yaml", f"dates: {{createdAt: {form}}}\n" if form else "{}\n")
    rows = "".join(f'{n},x,"{cell}"\n' for n, cell in enumerate(cells))
    file = written(tmp_path / "d.csv", f"externalId,description,createdAt\n{rows}")
    done = bulk.load("ideas", file, "--map-file", tmp_path / "map.yaml")
    faults = [line for line in done.err.splitlines() if "createdAt" in line]
    assert (len(faults), exported(bulk).get("ideas", [])) == (len(cells), [])


def test_accounts_of_refused_lines_are_not_counted(bulk: Bulk, tmp_path: Path) -> None:
    rows = "ID,Title,Details,Company,Status\n1,A,x,Globex,odd\n2,B,x,Initech,New\n"
    for how, counted in (("create", "accountsAdded"), ("skip", "accountsLeftOut")):
        words = ("ideas", written(tmp_path / f"{how}.csv", rows), "--unknown-accounts", how, "--json")
        for more in (("--dry-run",), ()):
            assert json.loads(bulk.load(*words, "--source-key", how, *more).out)[counted] == 1
        bulk.load("ideas", written(tmp_path / "empty.csv", "ID,Title,Details,Company\n"))
        assert [account["name"] for account in exported(bulk)["accounts"]] == ["Initech"]
        rows = rows.replace("Initech", "Hooli")


def test_accounts_that_are_there_by_name_are_pointed_at(bulk: Bulk, tmp_path: Path) -> None:
    bulk.load("accounts", written(tmp_path / "a.csv", "externalId,name\n10010,Globex\n"))
    file = written(tmp_path / "i.csv", "ID,Title,Details,Company\n1,A,x,globex\n2,B,x,Initech\n")
    refused = bulk.load("ideas", file).err.splitlines()
    assert refused[-1].endswith(" a --map-file with: values: {accounts: {'globex': ..., 'Initech': ...}}")
    for more in (("--dry-run",), ()):
        done = json.loads(bulk.load("ideas", file, "--unknown-accounts", "create", "--json", *more).out)
        assert (done["accountsAdded"], done["accountsNamesakes"]) == (2, 1)
    assert "beside" not in bulk.load("ideas", file, "--unknown-accounts", "create").out
    written(file, "ID,Title,Details,Company\n3,C,x,GLOBEX\n")
    out = bulk.load("ideas", file, "--unknown-accounts", "create").out
    assert "1 account created beside one of the same name: values in a map file say which one is meant." in out


def test_the_first_of_two_columns_that_a_tool_may_name_a_field_by_is_read(bulk: Bulk, tmp_path: Path) -> None:
    rows = "id,title,content,display_url,source_url\n1,A,x,https://a.example,https://b.example\n"
    file = written(tmp_path / "notes.csv", rows)
    done = twice(bulk, "signals", file, "--from", "productboard")
    assert done["ignoredColumns"] == ["source_url"]
    assert exported(bulk)["signals"][0]["data"]["url"] == "https://a.example"
    bulk.load("signals", file, "--from", "productboard", "--map", "source_url=data.url")
    assert exported(bulk)["signals"][0]["data"]["url"] == "https://b.example"
    words = ("signals", file, "--map", "source_url=data.url", "--map", "display_url=data.url")
    assert "'display_url' and 'source_url' both fill data.url" in bulk.load(*words).refusal


def test_a_view_of_zendesk_has_dashes_for_nothing(bulk: Bulk, tmp_path: Path) -> None:
    rows = "Id\tSubject\tOrganization\tRequested\tTags\tStatus\n7\tA\t-\t2011-04-05 10:11\t-\t-\n"
    (tmp_path / "v.txt").write_bytes(rows.encode("utf-16"))
    done = twice(bulk, "signals", tmp_path / "v.txt", "--from", "zendesk")
    assert (done["accountsAdded"], done["ignoredColumns"]) == (0, [])
    [signal] = exported(bulk)["signals"]
    assert (signal["createdAt"], signal["data"]) == ("2011-04-05T10:11:00.000Z", {})


def test_columns_of_a_report_of_aha_are_known(bulk: Bulk, tmp_path: Path) -> None:
    rows = (
        "Idea reference #,Idea name,Idea description,Idea status,Idea votes,Idea created date,Idea tags\n"
        'A-I-7,SSO,<p>SAML</p>,Shipped,3,05/28/2011 10:30,"auth,sso"\nA-I-8,SCIM,x,Planned,,2011-05-04,\n'
    )
    done = twice(bulk, "ideas", written(tmp_path / "a.csv", rows), "--from", "aha")
    assert (done["added"], done["ignoredColumns"]) == (2, [])
    one, two = exported(bulk)["ideas"]
    assert (one["externalId"], one["createdAt"], one["importedVoteCount"]) == ("A-I-7", "2011-05-28T10:30:00.000Z", 3)
    assert (one["provenance"]["labels"], two["createdAt"]) == (["auth", "sso"], "2011-05-04T00:00:00.000Z")


def test_a_map_says_whether_the_day_or_the_month_is_first(bulk: Bulk, tmp_path: Path) -> None:
    file = written(tmp_path / "i.csv", "ID,Title,Details,Created\n1,A,x,3/2/2026 9:05\n2,B,x,2026-02-03T09:05:00Z\n")
    assert "'day first' or 'month first'" in bulk.load("ideas", file).err
    both = '[month first, "%Y-%m-%dT%H:%M:%SZ"]'
    for order, found in (("day first", "2026-02-03"), ("month first", "2026-03-02"), (both, "2026-03-02")):
        chosen = written(tmp_path / "m.yaml", f"dates: {{createdAt: {order}}}")
        assert bulk.load("ideas", file, "--map-file", chosen).code == 0
        days = {one["externalId"]: one["createdAt"] for one in exported(bulk)["ideas"]}
        assert days == {"1": f"{found}T09:05:00.000Z", "2": "2026-02-03T09:05:00.000Z"}


def test_further_exports_of_a_tool_are_read_with_its_map(bulk: Bulk, tmp_path: Path) -> None:
    """UserVoice's API and labels, Jira Product Discovery, and Zendesk's export of an account with people inside."""
    labels = "suggestion.id,suggestion.title,suggestion.body,suggestion.labels.name\n"
    labels += '1,Chart,By keys,"perio, charting"\n'
    twice(bulk, "ideas", written(tmp_path / "u.csv", labels), "--from", "uservoice")
    post = {"id": 2, "title": "Log", "body": "<p>Log &amp; sign</p>", "state": "published", "supporters_count": 7}
    merged = {"id": 3, "title": "Logs", "body": "x", "votes_count": 9, "links": {"status": 4, "parent_suggestion": 2}}
    file = written(tmp_path / "u.json", json.dumps({"suggestions": [post | {"votes_count": 9}, merged]}))
    assert twice(bulk, "ideas", file, "--from", "uservoice")["merged"] == 1
    discovery = "Key,Summary,Status,Created,Impact\nRAIL-1,Advice,Parking lot,2024-03-05T08:12:33.123+0100,4\n"
    twice(bulk, "ideas", written(tmp_path / "j.csv", discovery), "--from", "jira")
    people = {"requester": {"name": "Pia", "email": "pia@x.test"}, "organization": {"id": 88, "name": "Trattoria"}}
    ticket = {"id": 7, "subject": "Box", "description": "It breaks.", "created_at": "2024-09-01T07:00:00Z"} | people
    twice(bulk, "signals", written(tmp_path / "z.ndjson", json.dumps(ticket) + "\n"), "--from", "zendesk")
    found = exported(bulk)
    chart, log, advice = found["ideas"]
    assert chart["provenance"]["labels"] == ["perio", "charting"]
    assert (log["description"], log["status"], log["importedVoteCount"]) == ("Log & sign", "New", 7)
    assert [one["externalId"] for one in log["aliases"]] == ["3"]
    assert (advice["externalId"], "key" in advice, advice["status"]) == ("RAIL-1", False, "New")
    [signal], [account] = found["signals"], found["accounts"]
    assert (signal["data"]["userEmail"], signal["account"]) == ("pia@x.test", account["id"])
    assert account["externalId"] == "88"


def test_columns_of_no_field_are_named_once_and_last(bulk: Bulk, tmp_path: Path) -> None:
    rows = "ID,Title,Details,Voter,Moon,Moon\n1,A,x,a@x.test,full,new\n1,A,x,b@x.test,,\n"
    done = bulk.load("ideas", written(tmp_path / "i.csv", rows))
    assert done.out.splitlines()[-1] == "Columns that fill no field: 'Moon'. --map 'Column=field' maps one."


WIKI = """h2. What happens

Always {*}loops{*}, see {{login.js}}, [the log|https://ci.example/1], [https://ci.example/2] and [~ada].
----
bq. It never worked
# one
** two

||Browser||Fails||
|Safari|yes|

!shot.png|thumbnail!
{color:red}red{color} -gone- R&amp;D\\\\
{code:java}
if (a*b*c) { return x_y_z; }
{code}"""
TEXT = """What happens

Always loops, see login.js, the log (https://ci.example/1), https://ci.example/2 and @ada.

It never worked
- one
- two

Browser | Fails
Safari | yes

red gone R&D

if (a*b*c) { return x_y_z; }"""


def test_wiki_markup_of_jira_becomes_text(bulk: Bulk, tmp_path: Path) -> None:
    file = written(tmp_path / "j.csv", f'Issue key,Summary,Description\nA-1,Login,"{WIKI}"\n')
    twice(bulk, "ideas", file, "--from", "jira")
    assert exported(bulk)["ideas"][0]["description"] == TEXT


def test_a_merged_post_keeps_its_date(bulk: Bulk, tmp_path: Path) -> None:
    rows = "Post ID,Title,Details,Created,Merged Into\n1,A,x,2011-05-03,\n2,B,y,2012-05-03,1\n"
    twice(bulk, "ideas", written(tmp_path / "i.csv", rows), "--from", "canny")
    [idea] = exported(bulk)["ideas"]
    assert [part["createdAt"] for part in idea["evidence"]] == ["2012-05-03T00:00:00.000Z"]


def test_unknown_labels_and_accounts_are_listed_with_what_to_do(bulk: Bulk, tmp_path: Path) -> None:
    rows = "".join(f"{n},A,x,{'in Arbeit' if n % 2 else 'offen'},Globex\n" for n in range(120))
    done = bulk.load("ideas", written(tmp_path / "i.csv", "ID,Title,Details,Status,Company\n" + rows))
    assert "120 like line 2: status: There is no 'offen' among" in done.err
    assert "values: {status: {'offen': ..., 'in Arbeit': ...}}" in done.err
    assert "--unknown-accounts create" in done.err


def test_a_day_that_can_be_no_month_says_the_order(bulk: Bulk, tmp_path: Path) -> None:
    rows = "Name,Notes,Created\nA,x,5/28/2011 3:04pm\nB,y,28/5/2011\nC,z,5/5/2011\nD,z,5/6/2011\n"
    done = bulk.load("ideas", written(tmp_path / "i.csv", rows))
    assert [line.partition(": '")[0] for line in done.err.splitlines()] == ["line 5: Created"]
    found = [(one["name"], one["description"], one["createdAt"][:16]) for one in exported(bulk)["ideas"]]
    assert found == [("A", "x", "2011-05-28T15:04"), ("B", "y", "2011-05-28T00:00"), ("C", "z", "2011-05-05T00:00")]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_lines_may_end_as_on_an_old_mac(bulk: Bulk, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "i.csv").write_bytes('ID,Title,Details\r1,Größe,"x\ry"\r2,B,y\r'.encode(encoding))
    assert twice(bulk, "ideas", tmp_path / "i.csv")["added"] == 2
    assert exported(bulk)["ideas"][0]["description"] == "x\ny"


def test_a_first_read_that_ends_within_the_end_of_a_line_is_no_old_mac(bulk: Bulk, tmp_path: Path) -> None:
    names = "ID,Title,Details,"
    head = names + "x" * (4_095 - len(names))  # 4,096 bytes with the first half of the line's end
    (tmp_path / "i.csv").write_bytes(f'{head}\r\n1,A,"x\r\ny",\r\n'.encode())
    assert twice(bulk, "ideas", tmp_path / "i.csv")["added"] == 1
    assert exported(bulk)["ideas"][0]["description"].split() == ["x", "y"]
    assert "\n\n" not in exported(bulk)["ideas"][0]["description"]


def test_a_website_is_the_domain_of_an_account(bulk: Bulk, tmp_path: Path) -> None:
    rows = "Account ID,Company,Website\nA-1,Globex,https://www.Globex.test/en?x=1\nA-2,Initech,initech.test\n"
    twice(bulk, "accounts", written(tmp_path / "a.csv", rows))
    assert {one["domain"] for one in exported(bulk)["accounts"]} == {"globex.test", "initech.test"}


def test_accounts_are_known_by_id_key_external_id_domain_and_the_address_of_a_contact(
    bulk: Bulk, tmp_path: Path
) -> None:
    account: dict[str, Any] = {"key": "glo", "externalId": "crm-1", "name": "Globex", "domain": "globex.test"}
    account |= {"contacts": [{"name": "Bo", "email": "Bo@else.test"}]}
    file = {"workspace": {"slug": bulk.slug}, "accounts": [account]}
    assert bulk.site.run("workspace", "apply", written(tmp_path / "w.json", json.dumps(file))).code == 0
    [globex] = exported(bulk)["accounts"]
    names = [globex["id"], "glo", "crm-1", "GLOBEX.test", "cy@globex.test", "bo@else.test"]
    rows = "".join(f"{place},A,x,{name}\n" for place, name in enumerate(names))
    for how in ("refuse", "skip", "create"):
        done = bulk.load(
            "ideas",
            written(tmp_path / "i.csv", "ID,Title,Details,Company\n" + rows),
            "--source-key",
            how,
            "--unknown-accounts",
            how,
            "--json",
        ).json
        assert (done["added"], done["accountsAdded"], done["accountsLeftOut"]) == (6, 0, 0)
    assert {tuple(idea["accounts"]) for idea in exported(bulk)["ideas"]} == {(globex["id"],)}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (bytes(range(256)) * 40, "The file is no text of Windows-1252: save it as UTF-8"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "The file is a spreadsheet: save it as CSV"),
    ],
)
def test_a_file_that_is_no_text_says_what_to_do(bulk: Bulk, tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "i.csv").write_bytes(data)
    assert says in bulk.load("ideas", tmp_path / "i.csv").refusal


@pytest.mark.parametrize("name", ["xl/workbook.xml", "content.xml"])
def test_a_spreadsheet_is_refused_with_what_to_do(bulk: Bulk, tmp_path: Path, name: str) -> None:
    file = packed(tmp_path / "ideas.xlsx", {"[Content_Types].xml": "<x/>", name: "<x/>"})
    assert "The file is a spreadsheet: save it as CSV" in bulk.load("ideas", file).refusal
