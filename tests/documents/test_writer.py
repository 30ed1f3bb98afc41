"""The writer: composes from what there is, invents nothing, and lets no words break the Markdown."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.documents.roles import read_sentences, stands_alone
from sightline.intelligence.embedded.documents.writing import topic_of
from sightline.intelligence.embedded.phrases import Cues, plain
from sightline.intelligence.embedded.vocabulary import read_data
from sightline.intelligence.material import (
    AboutEvidence,
    AboutIdea,
    AboutInitiative,
    AboutInsight,
    AboutOpportunity,
    AboutQuestion,
    AboutStudy,
    DocumentType,
    Material,
    SourceQuote,
)

TYPES = list(DocumentType)
ROLES = read_data("documents/roles.yaml", dict[str, dict[str, str]])
HOSTILE = (
    "# Title\n\n<script>alert(1)</script> [a](http://x.test) `code` *b* | 1. one\n- two\n> three\x00\u202e ![i](j)"
)


def material(words: str = "Plain words.") -> Material:
    initiative = AboutInitiative(
        UUID(int=1), "INITIATIVE-1", words, words, "PLANNED", "HIGH", words, [words], [words], "2026-01-01", None
    )
    quotes = [SourceQuote(words, "SIGNAL-1", [words])]
    return Material(
        initiative,
        [AboutIdea(UUID(int=2), "IDEA-1", words, words, words, [words], [words], 0)],
        [insight(3, words, quotes, description=words, accounts=[words])],
        [
            AboutEvidence(UUID(int=4), "IDEA-1", words, words, "supports", words, [], ["SIGNAL-2"], quotes),
            AboutEvidence(UUID(int=5), "IDEA-1", words, words, "qualifies", words, [], ["SIGNAL-2"], quotes),
        ],
        [AboutOpportunity(UUID(int=6), words, words)],
        [AboutStudy(UUID(int=7), "STUDY-1", words, words, 3, "4.5")],
        [
            AboutQuestion(UUID(int=8), "IDEA-1", f"{words} answered", f"{words} said"),
            AboutQuestion(UUID(int=9), "IDEA-1", f"{words} open", None),
        ],
    )


def insight(id: int, title: str, quotes: Sequence[SourceQuote] = (), **fields: Any) -> AboutInsight:
    signals = [quote.signal for quote in quotes if quote.signal]
    found = AboutInsight(UUID(int=id), title, "", "problem", False, ["IDEA-1"], [], [], signals, list(quotes))
    return found._replace(**fields)


def nothing() -> Material:
    initiative = AboutInitiative(
        UUID(int=1), "INITIATIVE-1", "Empty", "", "PENDING", "MEDIUM", None, [], [], None, None
    )
    return Material(initiative, [], [], [], [], [], [])


def headings(content: str) -> list[str]:
    tokens = MarkdownIt().parse(content)
    return [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]


def test_each_type_has_an_outline_of_its_own() -> None:
    outlines = [tuple(headings(embedded_engine().write_document(kind, material()).content)) for kind in TYPES]
    assert len(set(outlines)) == len(TYPES)


@pytest.mark.parametrize("kind", TYPES)
def test_every_statement_names_a_source_that_is_listed(kind: DocumentType) -> None:
    draft = embedded_engine().write_document(kind, material())
    body, _, listed = draft.content.partition("## Sources\n")
    refs = {int(ref) for ref in re.findall(r"\[(\d+)\]", body)}
    assert refs == {source.ref for source in draft.sources}
    assert listed.strip().count("\n") + 1 == len(draft.sources)
    assert [line for line in body.splitlines() if not is_marked(line)] == []


def is_marked(line: str) -> bool:
    """Statements carry a number; headings, open points, heads of tables and lead-ins say nothing by themselves."""
    without_claim = (r"#.*", r"[ >]*", r"- \*\*(Open|How sure).*", r"\| Feature .*", r"\|( --- \|)+")
    return bool(re.search(r"\[\d+\]", line) or any(re.fullmatch(pattern, line) for pattern in without_claim))


ASKED = {
    "measures": "Which figure shows success?",
    "goals": "What is the aim?",
    "non-goals": "What is out of scope?",
    "data": "Is consent asked?",
    "constraints": "Which law applies?",
    "rollout": "When does the pilot start?",
    "scale": "How many users are there?",
}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("topic", read_data("documents/topics.yaml", dict[str, list[str]]))
def test_an_answer_stands_once_whatever_its_topic(kind: DocumentType, topic: str) -> None:
    assert topic_of(ASKED[topic]) == topic
    questions = [AboutQuestion(UUID(int=8), "IDEA-1", ASKED[topic], "Two wardens.")]
    content = embedded_engine().write_document(kind, material()._replace(questions=questions)).content
    assert content.count("Two wardens.") == 1


@pytest.mark.parametrize("kind", TYPES)
def test_what_is_not_recorded_is_named_once_on_the_first_page(kind: DocumentType) -> None:
    content = embedded_engine().write_document(kind, nothing()).content
    [line] = re.findall(r"^- \*\*Open, not recorded:\*\* (.*)$", content, re.MULTILINE)
    assert line == (
        "description, team, finish date, problem, customers, goal, what it leaves out, requirements,"
        " measure and target, what speaks against it, rules and limits, rollout"
    )
    assert headings(content)[1:3] == ["Context" if kind is DocumentType.TDD else "Summary", "Open points"]


def test_a_technical_design_asks_for_the_points_of_a_design() -> None:
    content = embedded_engine().write_document(DocumentType.TDD, nothing()).content
    for name in ("load", "data", "components", "interfaces", "failures", "alternatives", "checks", "parts"):
        assert f"- **Open, {name}:** " in content


@pytest.mark.parametrize("kind", TYPES)
@given(words=st.text(max_size=200) | st.just(HOSTILE))
def test_no_words_break_the_markdown(kind: DocumentType, words: str) -> None:
    """Any text gives the same headings, no markup and no links."""
    content = embedded_engine().write_document(kind, material(f"x {words}")).content
    tokens = MarkdownIt().enable("table").parse(content)
    lines = content.splitlines()
    assert count(tokens, "heading_open") == sum(line.startswith("#") for line in lines)
    table = [line for line in lines if line.startswith("|")]
    assert count(tokens, "tr_open") + count(tokens, "table_open") == len(table)
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} <= {4}
    assert not {token.type for token in tokens} & {"html_block", "fence", "code_block", "hr"}
    inside = {child.type for token in tokens for child in token.children or []}
    assert not inside & {"html_inline", "link_open", "image", "code_inline", "em_open"}


def count(tokens: Sequence[Token], *types: str) -> int:
    return sum(token.type in types for token in tokens)


@pytest.mark.parametrize("kind", TYPES)
@given(words=st.text(max_size=100))
def test_the_same_material_gives_the_same_bytes(kind: DocumentType, words: str) -> None:
    assert embedded_engine().write_document(kind, material(words)) == embedded_engine().write_document(
        kind, material(words)
    )


def brief(said: Material) -> str:
    return embedded_engine().write_document(DocumentType.INITIATIVE_BRIEF, said).content


def shown(content: str) -> list[str]:
    """Returns the paragraphs as a reader sees them."""
    tokens = MarkdownIt().parse(content)
    return ["".join(child.content for child in token.children or []) for token in tokens if token.type == "inline"]


def about(description: str, name: str = "Exports") -> Material:
    plain = material()
    return plain._replace(initiative=plain.initiative._replace(name=name, description=description))


def test_the_points_of_a_list_stay_points_and_every_line_of_light_markdown_keeps_its_words() -> None:
    said = "# Why\n\nTwo lines\nof one.\n- First\n* Second **point**\n1. One\n---\n> They wait\n```py\nx = 1\n```"
    content = brief(about(said))
    summary = content.partition("## Summary\n")[2].partition("\n## ")[0].strip().split("\n\n")
    assert summary[:-1] == [
        "Why. [1]",
        "Two lines of one. [1]",
        "- First. [1]",
        "- Second \\*\\*point\\*\\*. [1]",
        "1\\. One. [1]",
        "They wait. [1]",
        "x = 1. [1]",
    ]


def test_an_ampersand_is_escaped_only_where_it_may_begin_a_character_reference() -> None:
    content = brief(about("Stahl & Söhne rent &lt; cranes."))
    assert "Stahl & Söhne rent \\&lt; cranes. [1]" in content


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", ["\x01", "\u202e", "\u202egnp", "***", "---", "| a |", "[1]: http://x.test", "\\"])
def test_a_name_of_nothing_but_signs_breaks_no_line(kind: DocumentType, name: str) -> None:
    content = embedded_engine().write_document(kind, material(name)).content
    kinds = {token.type for token in MarkdownIt().enable("table").parse(content)}
    assert not kinds & {"hr", "html_block", "code_block", "lheading_open"}
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", content)
    assert headings(content)[-1] == "Sources"


@pytest.mark.parametrize("kind", TYPES)
def test_a_long_description_stays_whole(kind: DocumentType) -> None:
    content = embedded_engine().write_document(kind, about("zzzz " * 12_000)).content
    summary = content.partition("## Context\n" if kind is DocumentType.TDD else "## Summary\n")[2].partition("\n## ")[0]
    assert summary.count("zzzz") == 12_000


TABLE = "The list should be short.\n\n| Field | Width |\n| --- | --- |\n| must be named | 20 |\n\nIt has to be printed."


def test_a_table_in_a_description_does_not_become_sentences() -> None:
    plain = material()
    idea = plain.ideas[0]._replace(description=TABLE)
    content = embedded_engine().write_document(DocumentType.PRD, plain._replace(ideas=[idea])).content
    assert "must be named" not in content
    assert re.search(
        r"^- “The list should be short\.” \[\d+\]\n- “It has to be printed\.” \[\d+\]$", content, re.MULTILINE
    )
    assert re.search(r"^- A table stands in IDEA-1 \[\d+\]$", content, re.MULTILINE)


@pytest.mark.parametrize("role", ROLES)
def test_every_cue_of_a_role_is_seen_in_its_example(role: str) -> None:
    for cue, said in ROLES[role].items():
        assert list(Cues({role: [cue]}).find(plain(said))), cue
        found = {one.text: one.role for one in read_sentences(f"The list is long. {said} Please add it to the list.")}
        if role == "leaning":
            assert not stands_alone(said), cue
        elif role in ("aside", "announcement"):
            assert not {text for text in found if text in said}, cue
        else:
            assert ("extent" if role == "observed" else role) in found.values(), cue
