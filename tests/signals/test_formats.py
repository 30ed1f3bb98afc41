"""POST /signals takes transcripts and mails as texts, one or several at once."""

from time import perf_counter
from typing import Any

import pytest

from tests.cli.test_signals_add import MAIL, SRT, VTT
from tests.world import World

ACCOUNTS = [
    {"key": "globex", "name": "Globex", "contacts": [{"email": "bo@globex.test"}]},
    {"key": "hooli", "name": "Hooli", "domain": "hooli.test"},
]
LATIN = "From: Bo <BO@GLOBEX.TEST>\nContent-Type: text/plain; charset=iso-8859-1\n\nGröße"


async def read(world: World, sent: Any) -> Any:
    answer = await world.client.post("/signals", json=sent)
    assert answer.status_code == 201, answer.text
    return (await world.client.get(f"/signals/{answer.json()['id']}", params={"include": "raw"})).json()


@pytest.mark.parametrize(("format", "text"), [("vtt", VTT), ("srt", SRT)])
async def test_a_transcript_has_its_speakers_and_times(world: World, format: str, text: str) -> None:
    signal = await read(world, {"text": text, "textFormat": format, "signalType": "transcript"})
    assert (signal["status"], signal["processorType"], signal["evidenceKind"]) == (
        "pending",
        "conversation",
        "conversation",
    )
    turns = signal["rawData"]["transcript"]["turns"]
    assert "Bo" in turns[0]["speaker"]
    assert turns[0]["startSeconds"] == 1.0
    assert signal["transcript"]["durationSeconds"] == (4.0 if format == "srt" else 3607.25)


async def test_voices_of_one_cue_are_turns_of_their_own(world: World) -> None:
    cue = "<v.loud Jörg>R&amp;D <b>waits</b> &lt; a day</v>\n<v Ada>Really?</v>\n<v Ada>Yes."
    signal = await read(world, {"text": f"WEBVTT\n\n00:01.000 --> 00:04.500\n{cue}\n", "textFormat": "vtt"})
    turns = signal["rawData"]["transcript"]["turns"]
    assert [(one["speaker"], one["text"], one["startSeconds"]) for one in turns] == [
        ("Jörg", "R&D waits < a day", 1.0),
        ("Ada", "Really? Yes.", 1.0),
    ]


async def test_a_mail_has_its_subject_date_and_customers(world: World) -> None:
    await world.add(accounts=ACCOUNTS)
    accounts = await world.ids("accounts")
    signal = await read(world, {"text": MAIL, "textFormat": "eml"})
    assert (signal["name"], signal["rawData"]["text"]) == ("Größe", "The font is too small.")
    assert (signal["createdAt"], signal["signalType"]) == ("2026-03-02T09:30:00.000Z", "support_ticket")
    assert set(signal["accountIds"]) == set(accounts.values())
    latin = await read(world, {"text": LATIN, "textFormat": "eml", "name": "Mine", "context": "sales"})
    assert (latin["name"], latin["context"], latin["rawData"]["text"]) == ("Mine", "sales", "Größe")
    assert latin["accountIds"] == [accounts["globex"]]


LONG_REFERENCE = f"&#{'1' * 5000};"
CUE = "WEBVTT\n\n00:01.000 --> 00:04.000\n"
HTML = "From: bo@x.test\nContent-Type: text/html\n\n<p>a"
MIXED = "Content-Type: multipart/mixed; boundary=b\n\n"
LONG_HEADERS = "Content-Type: text/x{}" + '; a="b"' * 280 + "\nContent-Disposition: a{}" + "; a=b" * 390
HOSTILE = {
    "voices": ("vtt", CUE + "<v a" * 50_000),
    "tags": ("vtt", CUE + "<a" * 100_000),
    "digits": ("vtt", CUE + "1" * 200_000),
    "digits of a reference": ("vtt", CUE + LONG_REFERENCE),
    "digits of a reference in a mail": ("eml", HTML + LONG_REFERENCE),
    "one speaker": ("vtt", "WEBVTT\n\n" + "00:01.000 --> 00:04.000\n<v Bo>word\n\n" * 8000),
    "spaces": ("eml", HTML + " " * 100_000 + "b"),
    "blank lines": ("eml", HTML + "\n " * 100_000 + "b"),
    "items": ("eml", HTML + "<li " * 50_000),
    "blanks after an arrow": ("vtt", "0000:00:01.000 -->" + " " * 990_000),
    "arrows": ("srt", "00:00:01,000 --> " * 50_000),
    "more arrows": ("vtt", "WEBVTT\n\n" + "-->" * 330_000),
    "nested elements": ("eml", HTML + "<div>" * 60_000),
    "comments": ("eml", HTML + "<!--" * 50_000),
    "commas": ("eml", f"To: {',' * 200_000}\n\na"),
    "words of a subject": ("eml", f"Subject: {'=?utf-8?q?a?= ' * 20_000}\n\na"),
    "recipients": ("eml", "To: a@b.test\n" * 10_000 + "\na"),
    "parentheses": ("eml", f"To: {'(' * 4500}\n\na"),
    "parameters": ("eml", f"Content-Type: text/plain{'; a=b' * 40_000}\n\na"),
    "nested parts": (
        "eml",
        "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(99)) + "a\n" * 20_000,
    ),
    "parts": ("eml", MIXED + "--b\n\na\n" * 20_000),
    "lines in nested parts": (
        "eml",
        "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(19)) + "\n-" * 400_000,
    ),
    "headers of parts": (
        "eml",
        MIXED + "".join(f"--b\n{LONG_HEADERS.format(n, n)}\n\n" for n in range(98)) + "--b\n\na",
    ),
}
NO_TIMES = "Has no times with words: is it WebVTT or SubRip?"
REFUSED = {
    "blanks after an arrow": NO_TIMES,
    "arrows": NO_TIMES,
    "more arrows": NO_TIMES,
    "parentheses": "Has a header that cannot be read: too much is nested",
    "nested parts": "Has more than 20 parts that hold parts",
    "parts": "Has more than 100 parts",
    "lines in nested parts": "Has too many lines in parts that hold parts",
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_no_text_takes_long_to_read(world: World, name: str) -> None:
    format, text = HOSTILE[name]
    started = perf_counter()
    answer = await world.client.post("/signals", json={"text": text, "textFormat": format})
    assert perf_counter() - started < 20
    assert answer.status_code == (400 if name in REFUSED else 201)
    if name in REFUSED:
        assert answer.json()["errors"] == [{"path": "text", "message": REFUSED[name]}]


async def test_the_same_text_again_changes_nothing(world: World) -> None:
    sent = {"text": VTT, "textFormat": "vtt"}
    first, second = await read(world, sent), await read(world, sent)
    assert (first["id"], first["updatedAt"]) == (second["id"], second["updatedAt"])
    named = await read(world, sent | {"sourceKey": "zoom", "externalId": "7"})
    assert named["id"] != first["id"]


async def test_several_are_stored_at_once_or_none(world: World) -> None:
    sent = [{"text": VTT, "textFormat": "vtt"}, {"text": MAIL, "textFormat": "eml"}, {"text": "Plain words."}]
    faulty = [*sent, {"text": "WEBVTT", "textFormat": "vtt"}, {"name": "Nothing"}]
    for refused, path in ((faulty, "signals[3].text"), ([*sent, faulty[4]], "signals[3].text"), ([], "signals")):
        answer = await world.client.post("/signals/batch", json={"signals": refused})
        assert (answer.status_code, answer.json()["field"]) == (400, path), answer.text
    assert (await world.client.get("/signals")).json() == []
    answer = await world.client.post("/signals/batch", json={"signals": sent})
    assert answer.status_code == 201, answer.text
    created = answer.json()["signals"]
    assert [one["signalType"] for one in created] == ["transcript", "support_ticket", None]
    assert all(one["jobId"] for one in created)
    again = (await world.client.post("/signals/batch", json={"signals": sent[:2]})).json()["signals"]
    assert [one["id"] for one in again] == [one["id"] for one in created[:2]]


PACKED = "Subject: x\nContent-Transfer-Encoding: base64\nContent-Type: text/plain; charset="
NO_CHARACTER = "Has a NUL or half of a surrogate pair, which is no character"


@pytest.mark.parametrize(
    ("mail", "refusal"),
    [
        (f"{PACKED}utf-8\n\nYQBi\n", NO_CHARACTER),
        ("Subject: =?utf-8?q?=00a?=\n\nabc", NO_CHARACTER),
        (f"{PACKED}utf-7\n\nKzJBQS0=\n", NO_CHARACTER),
        ("Subject: =?utf-7?q?+2AA-?=\n\nabc", "Has a text that cannot be read"),
        (f"{PACKED}undefined\n\nYWJj\n", "Has a charset that no mail has"),
        (f"{PACKED}rot13\n\nYWJj\n", "Has a charset that no mail has"),
    ],
    ids=["NUL in the body", "NUL in the subject", "half a pair", "half a pair in the subject", "undefined", "rot13"],
)
async def test_a_mail_with_what_is_no_character_is_refused(world: World, mail: str, refusal: str) -> None:
    for path, body in (("/signals", {"text": mail, "textFormat": "eml"}), ("/signals/batch", None)):
        sent: dict[str, Any] = body or {"signals": [{"text": "It is slow."}, {"text": mail, "textFormat": "eml"}]}
        answer = await world.client.post(path, json=sent)
        assert (answer.status_code, answer.json()["errors"][0]["message"]) == (400, refusal), answer.text


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode-escape"])
async def test_a_charset_that_takes_long_to_decode_is_refused(world: World, charset: str) -> None:
    mail = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: quoted-printable\n\naaa-zz9"
    answer = await world.client.post("/signals", json={"text": mail, "textFormat": "eml"})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "text")
