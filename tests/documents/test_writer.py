"""The writer: composes from what there is, invents nothing, and lets no words break the Markdown."""

import re
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.material import (
    AboutEvidence,
    AboutIdea,
    AboutInitiative,
    AboutInsight,
    AboutQuestion,
    DocumentType,
    Material,
    Quote,
)

TYPES = list(DocumentType)
HOSTILE = (
    "# Title\n\n<script>alert(1)</script> [a](http://x.test) `code` *b* | 1. one\n- two\n> three\x00\u202e ![i](j)"
)


def material(words: str = "Plain words.") -> Material:
    initiative = AboutInitiative(
        UUID(int=1), "INITIATIVE-1", words, words, "PLANNED", "HIGH", words, [words], None, None
    )
    quotes = [Quote(words, "SIGNAL-1")]
    return Material(
        initiative,
        [AboutIdea(UUID(int=2), "IDEA-1", words, words, "New", [words], [words])],
        [AboutInsight(UUID(int=3), words, words, "problem", quotes)],
        [AboutEvidence(UUID(int=4), "IDEA-1", words, words, "supports", quotes, words)],
        [
            AboutQuestion(UUID(int=5), "IDEA-1", f"{words} answered", f"{words} said"),
            AboutQuestion(UUID(int=6), "IDEA-1", f"{words} open", None),
        ],
    )


def nothing() -> Material:
    return Material(
        AboutInitiative(UUID(int=1), "INITIATIVE-1", "Empty", "", "PENDING", "MEDIUM", None, [], None, None),
        [],
        [],
        [],
        [],
    )


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
    said = body.partition("## Open questions")[0].splitlines()
    assert [
        line for line in said if line.strip(" >") and not line.startswith("#") and not re.search(r"\[\d+\]$", line)
    ] == []


@pytest.mark.parametrize("kind", TYPES)
def test_a_section_with_nothing_behind_it_becomes_a_question(kind: DocumentType) -> None:
    content = embedded_engine().write_document(kind, nothing()).content
    asked = content.partition("## Open questions")[2].partition("##")[0]
    assert asked.count("\n- ") >= 5
    assert "- What is the initiative about? It has no description." in asked


@pytest.mark.parametrize("kind", TYPES)
@given(words=st.text(max_size=200) | st.just(HOSTILE))
def test_no_words_break_the_markdown(kind: DocumentType, words: str) -> None:
    """The same headings, no markup and no links, whatever people wrote."""
    content = embedded_engine().write_document(kind, material(f"x {words}")).content
    plain = embedded_engine().write_document(kind, material("x")).content
    assert len(headings(content)) == len(headings(plain))
    kinds = {token.type for token in MarkdownIt().parse(content)}
    inside = {child.type for token in MarkdownIt().parse(content) for child in token.children or []}
    assert not kinds & {"html_block", "fence", "code_block", "table_open", "hr"}
    assert not inside & {"html_inline", "link_open", "image", "code_inline", "em_open"}


@pytest.mark.parametrize("kind", TYPES)
@given(words=st.text(max_size=100))
def test_the_same_material_gives_the_same_bytes(kind: DocumentType, words: str) -> None:
    assert embedded_engine().write_document(kind, material(words)) == embedded_engine().write_document(
        kind, material(words)
    )


def brief(said: Material) -> str:
    return embedded_engine().write_document(DocumentType.INITIATIVE_BRIEF, said).content


def shown(content: str) -> list[str]:
    """The paragraphs, as somebody reads them."""
    tokens = MarkdownIt().parse(content)
    return ["".join(child.content for child in token.children or []) for token in tokens if token.type == "inline"]


def about(description: str, name: str = "Exports") -> Material:
    plain = material()
    return plain._replace(initiative=plain.initiative._replace(name=name, description=description))


def test_the_points_of_a_list_stay_points_and_every_line_of_light_markdown_keeps_its_words() -> None:
    said = "# Why\n\nTwo lines\nof one.\n- First\n* Second **point**\n1. One\n---\n> They wait\n```py\nx = 1\n```"
    content = brief(about(said))
    summary = content.partition("## Summary\n")[2].partition("\n## ")[0].strip().split("\n\n")
    assert summary == [
        "Why. [1]",
        "Two lines of one. [1]",
        "- First. [1]",
        "- Second \\*\\*point\\*\\*. [1]",
        "1\\. One. [1]",
        "They wait. [1]",
        "x = 1. [1]",
    ]


def test_two_quotes_are_two_paragraphs_and_what_settled_them_stands_outside() -> None:
    plain = material()
    quotes = [Quote("We wait.", "SIGNAL-1"), Quote("And wait.", None)]
    said = plain._replace(evidence=[plain.evidence[0]._replace(quotes=quotes, title="Waiting", resolution="Done")])
    lines = shown(brief(said))
    assert [line for line in lines if line.startswith("“")][-2:] == ["“We wait.” (SIGNAL-1) [4]", "“And wait.” [4]"]
    assert any(line.endswith("Resolved: Done. [4]") and line.startswith("Waiting") for line in lines)


def test_an_account_is_named_once_with_every_idea_that_names_it() -> None:
    plain = material()
    ideas = [
        plain.ideas[0]._replace(accounts=["Acme", "Bolt"]),
        AboutIdea(UUID(int=9), "IDEA-2", "B", "b.", "New", [], ["Acme"]),
    ]
    assert "\n- Acme [3] [4]\n- Bolt [3]\n" in brief(plain._replace(ideas=ideas))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", ["\x01", "\u202e", "\u202egnp", "***", "---", "| a |", "[1]: http://x.test", "\\"])
def test_a_name_of_nothing_but_signs_breaks_no_line(kind: DocumentType, name: str) -> None:
    content = embedded_engine().write_document(kind, material(name)).content
    kinds = {token.type for token in MarkdownIt().enable("table").parse(content)}
    assert not kinds & {"hr", "html_block", "table_open", "code_block", "lheading_open"}
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", content)
    assert headings(content)[-1] == "Sources"


@pytest.mark.parametrize("kind", TYPES)
def test_a_drafted_answer_that_nobody_recorded_never_counts(kind: DocumentType) -> None:
    """What an engine is given has no place for it; an open question is shown as one."""
    content = embedded_engine().write_document(kind, material()).content
    decided = content.partition("## Decisions" if "## Decisions" in content else "## What was decided")[2]
    assert "answered" in decided.partition("\n## ")[0]
    assert "open" not in decided.partition("\n## ")[0]
    assert "Plain words. open" in content.partition("## Open questions")[2]


@pytest.mark.parametrize("kind", TYPES)
def test_a_long_description_stays_whole(kind: DocumentType) -> None:
    content = embedded_engine().write_document(kind, about("zzzz " * 12_000)).content
    assert content.count("zzzz") == 12_000
