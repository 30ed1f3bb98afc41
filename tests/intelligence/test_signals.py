"""What the embedded engine finds in signals: statements of customers, word for word, where they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.signals.categories import category_of
from sightline.intelligence.evidence import DraftInsight, Quote, ReadAs, SignalMaterial, Turn, check_quotes

STATEMENTS = {
    "problem": [
        "The export takes ten minutes and sometimes it fails.",
        "We can't find the invoice of last month.",
        "Search never finds my notes.",
        "I have to copy every row by hand.",
        "The new menu is confusing.",
        "It crashes when I open a big file.",
        "Guests do not see the comments.",
        "I keep losing my filters.",
        "The report is too slow for Monday mornings.",
        "Das Öffnen dauert ewig lange.",
        "Der Import funktioniert nicht.",
        "Der Export großer Tabellen schlägt fehl.",
        "Beim zweiten Versuch ist der Import gescheitert.",
        "I like the board, but it hangs all the time.",
    ],
    "request": [
        "Could you add a progress bar?",
        "It would be great if exports ran at night.",
        "We need a way to share views.",
        "I'd love to see who changed what.",
        "Please add dark mode.",
        "Is there a way to archive projects?",
        "You should let me sort by date.",
        "The support could be faster.",
        "They asked for an audit log.",
        "Wir bräuchten eine Suche nach Datum.",
        "Es wäre toll, wenn man Spalten ausblenden könnte.",
        "Könnten Sie uns bei Verspätung automatisch eine Nachricht schicken?",
        "Können Sie uns eine SMS senden, sobald der Kran frei wird?",
        "Können Sie uns jeden Montag eine Liste schicken?",
    ],
    "praise": [
        "We love the dashboard.",
        "The new editor works really well.",
        "It saves us hours every week.",
        "Great support team!",
        "Setting it up was easy, and it is very intuitive.",
        "I'm so happy with the reports.",
        "No problems at all, highly recommend it.",
        "Die Oberfläche gefällt uns.",
    ],
    "question": [
        "How do I change my billing address?",
        "Which plan includes single sign-on?",
        "Does the export keep colours?",
        "Können Sie mir bitte die Rechnung 4711 noch einmal schicken?",
        "Können Sie mir den Vertrag für Kran 7 per Mail senden?",
        "Können Sie uns den Lieferschein schicken, wenn Sie Zeit haben?",
        "Können Sie mir bitte jede Rechnung noch einmal schicken?",
    ],
    "context": [
        "We export about 40 tables every week for finance.",
        "Our team of twelve works in three time zones.",
        "I run the back office of a small clinic every day.",
        "Wir nutzen das Programm jeden Tag im Lager.",
    ],
    None: [
        "The meeting was on Tuesday.",
        "Version 4.2 of the document.",
        "Blue or green.",
        "Ok.",
        "Bo joined a little later.",
    ],
}
LABELLED = [(category, statement) for category, statements in STATEMENTS.items() for statement in statements]


@pytest.mark.parametrize(("category", "statement"), LABELLED)
def test_a_statement_is_meant_as_it_says(category: str | None, statement: str) -> None:
    assert category_of(statement) == category


def found_in(
    text: str = "", read_as: ReadAs = "text", *turns: tuple[str | None, str], **more: object
) -> list[DraftInsight]:
    own = frozenset(str(name) for name in more.get("own", ()))  # type: ignore[attr-defined]  # given as a tuple
    material = SignalMaterial(read_as, text, tuple(Turn(*turn) for turn in turns), own)
    found = embedded_engine().extract_insights(material)
    assert check_quotes(material, found) == found
    return found


def titles(found: list[DraftInsight]) -> list[str]:
    return [one.title for one in found]


MAIL = """From: bo@globex.test
To: help@acme.test
Subject: Exports

Hi team,

the export of large tables fails with an error. Could you add a retry?

Best regards,
Bo Lee
Head of Finance
+49 30 1234567

On Mon, 3 Feb 2026, Help wrote:
> Is the import slow as well?
"""


FRENCH_MAIL = """De : bo@globex.test
Objet : Exports

Bonjour Anne,

the export of large tables fails with an error. Could you add a retry?

Bien cordialement,
The import is slow
Envoyé de mon téléphone

-----Message d'origine-----
De : Anne
Envoyé : vendredi 1 mai 2026 10:00
À : Bo

The import is slow as well.
"""


@pytest.mark.parametrize("mail", [MAIL, FRENCH_MAIL])
def test_of_a_message_only_what_it_says_is_read(mail: str) -> None:
    assert titles(found_in(mail)) == [
        "The export of large tables fails with an error.",
        "Could you add a retry?",
    ]


SAID = (
    ("Mia", "Can you hear me?"),
    ("Bo", "Yes, all good."),
    ("Mia", "How do you export today?"),
    ("Bo", "We export about 40 tables every week. The export fails without a message."),
    ("Mia", "What happens then?"),
    ("Bo", "I have to start again by hand."),
    ("Mia", "Why is that a problem?"),
)
EXPECTED = [
    "We export about 40 tables every week.",
    "The export fails without a message.",
    "I have to start again by hand.",
]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{speaker}: {said}" for speaker, said in SAID),
        "\r\n".join(f"[00:0{n}:10] {speaker}: {said}" for n, (speaker, said) in enumerate(SAID)),
        "\n".join(f"{speaker} (00:0{n}): {said}" for n, (speaker, said) in enumerate(SAID)),
        "\n\n".join(f"{speaker}  10:0{n} AM\n{said}" for n, (speaker, said) in enumerate(SAID)),
        "WEBVTT\n\n"
        + "\n\n".join(
            f"{n}\n00:00:0{n}.000 --> 00:00:0{n}.900\n<v {speaker}>{said}</v>" for n, (speaker, said) in enumerate(SAID)
        ),
        "\n\n".join(
            f"{n + 1}\n00:00:0{n},000 --> 00:00:0{n},900\n{speaker}: {said}" for n, (speaker, said) in enumerate(SAID)
        ),
    ],
    ids=["labels", "times before", "times behind", "chat", "WebVTT", "SRT"],
)
def test_speakers_are_found_in_every_notation(text: str) -> None:
    found = found_in(text, "conversation")
    assert titles(found) == EXPECTED
    assert {quote.speaker for one in found for quote in one.quotes} == {"Bo"}


def test_turns_are_read_alike_and_quotes_name_them() -> None:
    found = found_in("", "conversation", *SAID)
    assert titles(found) == EXPECTED
    assert [quote.turn for one in found for quote in one.quotes] == [3, 3, 5]


def test_whom_we_name_as_ours_is_no_evidence() -> None:
    turns = (("Ana", "Exports are too slow."), ("Bo", "Search is too slow."))
    assert titles(found_in("", "conversation", *turns)) == ["Exports are too slow.", "Search is too slow."]
    assert titles(found_in("", "conversation", *turns, own=("ana",))) == ["Search is too slow."]
    named = (("Support Agent", "Exports are too slow."), ("Bo", "Search is too slow."))
    assert titles(found_in("", "conversation", *named)) == ["Search is too slow."]


def test_repeated_statements_are_one_insight_with_all_quotes() -> None:
    found = found_in(
        "The export is too slow. Thanks. Exports are too slow! The import is too slow.\nThe export: too slow."
    )
    assert [(one.title, len(one.quotes)) for one in found] == [
        ("The export is too slow.", 3),
        ("The import is too slow.", 1),
    ]
    [many] = found_in("The export is too slow.\n" * 25)
    assert len(many.quotes) == 10


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("", "text"),
        (" \n\t", "review"),
        ("Hi!\nThanks a lot.\nBest regards\nBo", "text"),
        ("Bo: Hello, how are you?\nAna: Fine, thanks. Bye!", "conversation"),
        ("> The export is slow.\n> It fails.", "text"),
        ("This is an automated message. Please do not reply.", "text"),
        ("https://acme.test/a\n+49 30 1234567\nbo@globex.test", "text"),
        ("The meeting was on Tuesday.", "document"),
    ],
)
def test_a_signal_with_nothing_in_it_gives_nothing(text: str, read_as: ReadAs) -> None:
    assert found_in(text, read_as) == []


def test_a_review_in_a_language_of_which_no_cue_is_known_is_quoted_as_it_is() -> None:
    [one] = found_in("L'application est lente depuis la mise à jour. Elle plante.", "review")
    assert (one.category, one.title) == ("context", "L'application est lente depuis la mise à jour.")


def test_at_most_two_hundred_are_kept_those_said_most_often() -> None:
    lines = [f"Table t{n}x fails with error e{n}y." for n in range(400)]
    found = found_in("\n".join([*lines, lines[399], lines[399]]))
    assert len(found) == 200
    assert found[-1].title == lines[399]
    assert titles(found[:-1]) == lines[:199]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("and the export is slow.", "The export is slow."),
        ("iPads lose the connection every day.", "iPads lose the connection every day."),
        (
            "when I open the report of the whole region in the morning the page fails to load, and then I have to ring"
            " somebody at the desk to get it.",
            "When I open the report of the whole region in the morning the page fails to load",
        ),
        (
            "the import of the price list is so slow that I start it in the evening before I leave the shop and hope"
            " for the best until the morning.",
            "The import of the price list is so slow that I start it in the evening before I leave the shop and hope"
            " for the best",
        ),
    ],
)
def test_a_title_is_a_readable_statement(said: str, title: str) -> None:
    [one] = found_in(said)
    assert (one.title, one.quotes[0].text) == (title, said)


def test_titles_end_at_120_characters_between_words() -> None:
    [one] = found_in(f"The export {'of very large tables ' * 20} fails.")[:1]
    assert len(one.title) <= 120
    assert one.quotes[0].text.startswith(one.title[1:], 1)


def test_quotes_at_other_positions_are_rejected() -> None:
    material = SignalMaterial(text="The export fails.")
    right, wrong = Quote("export", 4, 10), [Quote("export", 5, 11), Quote("import", 4, 10), Quote("", 0, 0)]
    wrong += [Quote("export", 4, 10, turn=3), Quote("The", -17, 3)] if material.turns else []
    found = [DraftInsight("A", "problem", [right, *wrong]), DraftInsight("B", "problem", wrong)]
    assert check_quotes(material, found) == [DraftInsight("A", "problem", [right])]
    turns = SignalMaterial(turns=(Turn(None, "The export fails."),))
    for quote in (Quote("export", 4, 10), Quote("export", 4, 10, turn=1), Quote("export", 4, 10, turn=-1)):
        assert check_quotes(turns, [DraftInsight("A", "problem", [quote])]) == []


PIECES = """
Bo:_ [00:01]_ The_export_fails._ >_ --_ Could_you_add_this? _we_use_it_every_day_ too_slow Grüße مرحبا <v_Bo> … .
00:00:01.000_-->_00:00:02.000 Best_regards,
"""
pieces = st.sampled_from([*(piece.replace("_", " ") for piece in PIECES.split()), "\n", "\r\n", "\u2028", "\t"])
texts = st.lists(pieces | st.text(max_size=12), max_size=40).map("".join)
kinds = st.sampled_from(["text", "conversation", "document", "review", "feedback"])


@given(texts, kinds, st.lists(st.tuples(st.none() | st.text(max_size=5), texts), max_size=4))
def test_of_any_signal_quotes_are_exact_and_the_same_each_time(
    text: str, read_as: ReadAs, turns: list[tuple[str | None, str]]
) -> None:
    found = found_in(text, read_as, *turns)
    assert found == found_in(text, read_as, *turns)
    firsts = [(one.quotes[0].turn or 0, one.quotes[0].start) for one in found]
    assert firsts == sorted(firsts)
    assert all(1 <= len(one.title) <= 120 for one in found)


HOSTILE = [
    " ",
    ">",
    "a",
    "x ",
    "A: ",
    "a: b\n",
    "\n",
    "00:00:00 ",
    "- ",
    "on ",
    "thanks a ",
    ". ",
    "\"'",
    "best ",
    "i we ",
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_of_anything_is_read(piece: str) -> None:
    """Twice as long takes about twice as long: quadratic work would take minutes here."""
    found_in((piece * 200_000)[:200_000], "conversation")


@pytest.mark.slow
def test_a_million_characters_of_everything_are_read() -> None:
    found_in("".join((piece * 67_000)[:67_000] for piece in HOSTILE)[:1_000_000], "conversation")


def test_a_sentence_that_goes_on_is_a_further_quote_of_the_statement_before_it() -> None:
    text = "Labels are cut off after ten letters. It happens everywhere and nobody can read them.\nIt is too slow."
    found = embedded_engine().extract_insights(SignalMaterial(text=text))
    assert [(one.title, len(one.quotes)) for one in found] == [
        ("Labels are cut off after ten letters.", 2),
        ("It is too slow.", 1),
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hi Support, labels are cut off.", "Labels are cut off."),
        ("Guten Tag, die Etiketten fehlen immer noch.", "Die Etiketten fehlen immer noch."),
        ("PS: labels are cut off again.", "Labels are cut off again."),
    ],
)
def test_a_title_has_no_greeting_and_no_label(text: str, title: str) -> None:
    assert [one.title for one in embedded_engine().extract_insights(SignalMaterial(text=text))] == [title]


def test_what_goes_on_in_the_line_of_a_subject_is_read() -> None:
    text = "Re: Re: your survey. Sorry it is late. The kiln loses its program every night."
    [found] = embedded_engine().extract_insights(SignalMaterial(text=text))
    assert [text[one.start : one.end] for one in found.quotes] == ["The kiln loses its program every night."]
