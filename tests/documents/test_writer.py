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
        line for line in said if line.strip() and not line.startswith("#") and not re.search(r"\[\d+\]$", line)
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
