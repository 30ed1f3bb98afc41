"""Files of calls, mails and notes become signals."""

import json
from pathlib import Path

import pytest

from tests.cli.test_import import Bulk, bulk, written
from tests.cli.test_import_maps import exported
from tests.waiting import wait_until

__all__ = ["bulk"]

VTT = """WEBVTT

1
00:00:01.000 --> 00:00:04.500
<v Bo Lee>The export stops</v>

00:00:04.500 --> 00:00:06.000
<v Bo Lee>at 8,000 rows.</v>

00:01:06.000 --> 01:00:07.250
Ada: We will look at it.
"""
SRT = "1\r\n00:00:01,000 --> 00:00:02,000\r\nBo: It is slow.\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nYes.\r\n"
MAIL = """From: Bo Lee <Bo@globex.test>
To: help@acme.test, dee@hooli.test
Subject: =?utf-8?q?Gr=C3=B6=C3=9Fe?=
Date: Mon, 02 Mar 2026 10:30:00 +0100
Content-Type: text/html; charset=utf-8

<p>The font is <b>too small</b>.</p>
"""


def test_calls_mails_and_notes_are_added_once(bulk: Bulk, tmp_path: Path) -> None:
    accounts = [
        {"externalId": "g", "name": "Globex", "contacts": [{"email": "bo@globex.test"}]},
        {"externalId": "h", "name": "Hooli", "domain": "hooli.test"},
    ]
    bulk.load("accounts", written(tmp_path / "a.jsonl", "".join(json.dumps(one) + "\n" for one in accounts)))
    files = {"call.vtt": VTT, "talk.srt": SRT, "mail.eml": MAIL, "notes.md": "# Visit\nThey retype tables."}
    words = [word for name, text in files.items() for word in ("--file", written(tmp_path / name, text))]
    done = bulk.site.run("signals", "add", *words, "--workspace", bulk.slug, "--json").json
    assert (done["lines"], done["added"]) == (4, 4)
    signals = {one["data"]["file"]: one for one in exported(bulk)["signals"]}
    assert signals["call.vtt"]["transcript"] == {
        "turns": [
            {"speaker": "Bo Lee", "text": "The export stops at 8,000 rows.", "startSeconds": 1.0},
            {"speaker": "Ada", "text": "We will look at it.", "startSeconds": 66.0},
        ],
        "turnCount": 2,
        "speakers": ["Bo Lee", "Ada"],
        "durationSeconds": 3607.25,
    }
    assert [turn["text"] for turn in signals["talk.srt"]["transcript"]["turns"]] == ["It is slow.", "Yes."]
    mail = signals["mail.eml"]
    assert (mail["name"], mail["rawData"]["text"]) == ("Größe", "The font is too small.")
    assert (mail["createdAt"], len(mail["accounts"])) == ("2026-03-02T09:30:00.000Z", 2)
    assert signals["notes.md"]["rawData"]["text"].startswith("# Visit")
    again = bulk.site.run("signals", "add", *words, "--workspace", bulk.slug, "--json").json
    assert (again["added"], again["unchanged"]) == (0, 4)
    assert sorted(one["id"] for one in exported(bulk)["signals"]) == sorted(one["id"] for one in signals.values())


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [("a.pdf", "x", "Is none of"), ("a.vtt", "WEBVTT", "Has no times"), ("a.md", " ", "Has no text")],
)
def test_a_file_that_is_no_signal_is_refused(bulk: Bulk, tmp_path: Path, name: str, text: str, says: str) -> None:
    file = written(tmp_path / name, text)
    assert says in bulk.site.run("signals", "add", "--file", file, "--workspace", bulk.slug).refusal


def test_options_say_whose_call_it_is_and_when(bulk: Bulk, tmp_path: Path) -> None:
    accounts = [{"externalId": "n7", "name": "Nordfleet", "domain": "nordfleet.test"}, {"externalId": "o", "name": "O"}]
    bulk.load("accounts", written(tmp_path / "a.jsonl", "".join(json.dumps(one) + "\n" for one in accounts)))
    add: list[str | Path] = ["signals", "add", "--workspace", bulk.slug, "--file", written(tmp_path / "call.vtt", VTT)]
    said = ["--account", "nordfleet.test", "--date", "2026-02-03", "--name", " Visit at the depot "]
    bulk.site.run(*add)
    wait_until(lambda: exported(bulk)["signals"][0]["status"] == "processed")  # the worker's change counts as well
    for words, changed in ((said, 1), (said, 0), ([], 0), (["--account", "n7"], 0), (["--name", "Depot"], 1)):
        done = bulk.site.run(*add, *words, "--json").json
        assert (done["added"], done["changed"], done["unchanged"]) == (0, changed, 1 - changed)
    [signal] = exported(bulk)["signals"]
    assert (signal["name"], signal["createdAt"]) == ("Depot", "2026-02-03T00:00:00.000Z")
    assert signal["accounts"] == [signal["account"]] != []
    other = written(tmp_path / "n.txt", "The ramp is too steep.")
    assert bulk.site.run(*add[:4], "--file", other, "--account", "o", "--date", "2026-02-04").code == 0
    assert "'nobody'" in bulk.site.run(*add, "--account", "nobody").refusal
    assert bulk.site.run(*add, "--file", other, "--name", "Both").code == 2
    signals = {one["name"]: one for one in exported(bulk)["signals"]}
    assert (signals["n"]["createdAt"][:10], len(signals["n"]["accounts"])) == ("2026-02-04", 1)
