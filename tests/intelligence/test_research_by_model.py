"""Whatever a model returns: quotes are parts of their source, answers rest on findings, plans keep every bound."""

import asyncio
import json
from collections.abc import Coroutine
from datetime import UTC, datetime
from time import process_time
from typing import Any, TypeVar
from uuid import UUID, uuid4

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from sightline.intelligence.embedded.research.answering import NO_ANSWER
from sightline.intelligence.embedded.research.judging import judge_pages as judge_by_words
from sightline.intelligence.embedded.research.planning import draft_plan
from sightline.intelligence.model.answers import Unreadable, read_answer
from sightline.intelligence.model.claims import Claim, Sources, Verdict, Verdicts
from sightline.intelligence.model.research.answering import answer_questions
from sightline.intelligence.model.research.planning import plan_research
from sightline.intelligence.model.research.relevance import LONGEST_PAGE, LONGEST_QUOTE, judge_pages, shown_parts
from sightline.intelligence.model.session import Budget, ModelFailed, Session
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import FindingText, FramedQuote, PlanContext, ProductText
from sightline.research.plans.definition import ensure_valid
from sightline.sources.pages import Page

T = TypeVar("T")
NOW = datetime(2026, 11, 20, tzinfo=UTC)
SECTION = PlanSection(
    id=UUID(int=1), name="Deposits", type="market", objective="Deposits.", questions=["Who waits?", "Why?"], topic="it"
)
TEXTS = ("Riders wait 3 days for the deposit. Shops hold it; they say so.", "Nobody waits.  Riders are paid at once.")
PAGES = [
    Page(url=f"https://{n}.example/", title="Deposits", text=text, retrieved_at=NOW) for n, text in enumerate(TEXTS)
]
FINDINGS = [FindingText(uuid4(), page.title, page.url, None, NOW, [FramedQuote("On it", page.text)]) for page in PAGES]
QUESTION = "How do rivals like Gearmoor hold deposits? Prefer trade.example."
CONTEXT = PlanContext(
    workspace="Fennmark", products=(ProductText(UUID(int=2), "Bench", ("Stock",)),), evidence=("Left us for Torvane.",)
)


class Scripted:
    """Answers with one value, read as the endpoint reads it, and finds that every statement follows."""

    def __init__(self, value: Any) -> None:
        self._content = json.dumps(value)

    async def ask(self, session: Session, prompt: Any, type: Any, read: Any, repairs: int = 0) -> Any:
        if type is Verdicts:
            return Verdicts([Verdict(number, "follows") for number in range(100)])
        try:
            answer = read_answer(self._content, type)
        except Unreadable:
            raise ModelFailed("The model gave no readable answer.") from None
        return read(answer)[0]


def made(work: Coroutine[Any, Any, T]) -> T:
    """The result. An answer that cannot be read is of no interest here."""
    try:
        return asyncio.run(work)
    except ModelFailed:
        reject()


words = st.text(st.characters(exclude_characters="“”", exclude_categories=["Cc", "Cs"]), max_size=30) | st.sampled_from(
    ["Riders wait 3 days", "riders WAIT", "Shops hold it; they", "nobody waits. riders are", "Riders wait 4 days", "it"]
)
numbers = st.integers(-2, 4)
judged = st.fixed_dictionaries(
    {
        "pages": st.lists(
            st.fixed_dictionaries(
                {
                    "page": numbers,
                    "relevance": st.sampled_from(["answers", "partly", "related", "unrelated"]),
                    "passages": st.lists(st.fixed_dictionaries({"question": numbers, "quote": words}), max_size=5),
                }
            ),
            max_size=4,
        )
    }
)


@settings(deadline=None)
@given(answer=judged)
def test_every_passage_is_a_part_of_its_page(answer: Any) -> None:
    by_words = judge_by_words(SECTION, PAGES)
    scripted: Any = Scripted(answer)
    found = made(judge_pages(scripted, Session(Budget()), SECTION, PAGES, by_words))
    assert len(found) == len(PAGES)
    for page, judgement in zip(PAGES, found, strict=True):
        assert 0 <= judgement.score <= 1
        assert len(judgement.observations) <= 3
        assert all(one.quote in page.text and one.quote.strip() for one in judgement.observations)


claims = st.fixed_dictionaries({"text": words, "sources": st.lists(numbers, max_size=3), "quote": st.none() | words})
answered = st.fixed_dictionaries(
    {
        "answers": st.lists(
            st.fixed_dictionaries({"question": numbers, "sentences": st.lists(claims, max_size=4)}), max_size=4
        )
    }
)


@settings(deadline=None)
@given(answer=answered)
def test_every_answer_rests_on_findings_and_quotes_them(answer: Any) -> None:
    scripted: Any = Scripted(answer)
    found = made(answer_questions(scripted, Session(Budget()), SECTION, FINDINGS, "English"))
    assert [one.question for one in found] == SECTION.questions
    for one in found:
        assert set(one.finding_ids) <= {finding.id for finding in FINDINGS}
        assert bool(one.finding_ids) is (one.answer != "No finding answers this.")
        assert "4" not in one.answer
        quoted = [part.partition("”")[0] for part in one.answer.split("“")[1:]]
        assert all(any(quote in text for text in TEXTS) for quote in quoted)


def answers_of(sentences: list[dict[str, Any]]) -> list[str]:
    scripted: Any = Scripted({"answers": [{"question": 0, "sentences": sentences}]})
    found = asyncio.run(answer_questions(scripted, Session(Budget()), SECTION, FINDINGS, "English"))
    return [one.answer for one in found]


WAIT = {"text": "Riders wait", "sources": [1], "quote": "Riders wait 3 days"}


@pytest.mark.parametrize(("before", "is_read"), [(99, True), (100, False)])
def test_of_a_model_that_repeats_itself_a_hundred_sentences_and_passages_are_read(before: int, is_read: bool) -> None:
    assert (answers_of([WAIT | {"text": "Riders wait 9 days"}] * before + [WAIT])[0] != NO_ANSWER) is is_read
    passages = [{"question": 0, "quote": f"Nobody says {n}"} for n in range(before)]
    passages.append({"question": 0, "quote": "Riders wait 3 days"})
    scripted: Any = Scripted({"pages": [{"page": 0, "relevance": "answers", "passages": passages}]})
    by_words = judge_by_words(SECTION, PAGES)
    found = asyncio.run(judge_pages(scripted, Session(Budget()), SECTION, PAGES, by_words))
    assert [one.quote for one in found[0].observations] == ["Riders wait 3 days"] * is_read


def test_each_quote_of_a_sentence_may_be_of_another_of_its_sources() -> None:
    said = "Shops say “they say so” and “riders are paid” after 3 days"
    assert "“they say so” and “Riders are paid”" in answers_of([{"text": said, "sources": [1, 2]}])[0]
    assert answers_of([{"text": said, "sources": [1]}])[0] == NO_ANSWER
    assert answers_of([{"text": f"{said}, “or not”", "sources": [1, 2]}])[0] == NO_ANSWER


def test_the_figures_of_a_source_are_read_once() -> None:
    """For each sentence that rests on it, they took as long as for the first one."""
    sources = Sources({1: "Of 12 riders 3.5 wait, " * 150_000})
    start = process_time()
    held, wrong = sources.sort_out((n, Claim(f"{n} riders wait", [1])) for n in range(100))
    assert process_time() - start < 6
    assert [(key, claim.text) for key, claim in held] == [(12, "12 riders wait")]
    assert wrong.count("has figures that are not in its sources") == 5


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    ["Gearmoor", "Torvane", "Inventix", "trade.example", " ", "German"]
)
texts = st.lists(text, max_size=7)
planned = st.fixed_dictionaries(
    {
        "name": text,
        "rationale": text.map(lambda said: f"Because {said}"),
        "research_mode": st.sampled_from(["recent", "baseline"]),
        "lookback_days": st.integers(-(10**9), 10**9),
        "product": numbers,
        "sections": st.lists(
            st.fixed_dictionaries(
                {
                    **dict.fromkeys(("name", "objective", "topic", "geography", "audience", "exclusions"), text),
                    **dict.fromkeys(("questions", "languages", "domains", "excluded_domains"), texts),
                    "type": st.sampled_from(["competitors", "market", "custom"]),
                    "competitors": st.lists(st.fixed_dictionaries({"name": text, "aliases": texts}), max_size=7),
                }
            ),
            max_size=7,
        ),
    }
)


@settings(deadline=None)
@given(answer=planned)
@pytest.mark.slow
def test_every_plan_is_valid_and_names_nobody_new(answer: Any) -> None:
    scripted: Any = Scripted(answer)
    drafted = draft_plan(QUESTION, CONTEXT)
    plan = made(plan_research(scripted, Session(Budget()), QUESTION, CONTEXT, drafted))
    definition = ensure_valid(plan.definition, "definition")
    named = {name for one in definition.sections for each in one.competitors for name in (each.name, *each.aliases)}
    assert not named & {"Inventix", "Fennmark", "Bench"}
    assert all(name.casefold() in f"{QUESTION} Left us for Torvane.".casefold() for name in named)
    assert {domain for one in definition.sections for domain in one.scope.domains} <= {"trade.example"}


@pytest.mark.parametrize("gap", [" ", "\n", ""])
def test_of_a_long_page_its_beginning_and_its_closest_parts_are_shown(gap: str) -> None:
    filler = "x" * 40 + (gap or "y")
    body = "The beginning. " + filler * 300 + " Here somebody waits, and why. " + filler * 300
    page = Page(url="https://a.example/", title="Long", text=body, retrieved_at=NOW)
    parts = shown_parts(SECTION, page)
    assert all(part in body for part in parts)
    assert sum(map(len, parts)) <= LONGEST_PAGE
    assert parts[0].startswith("The beginning.")
    assert any("why" in part for part in parts)


def test_a_quote_of_half_a_page_is_none() -> None:
    page = Page(url="https://a.example/", title="Long", text="Riders wait. " * 200, retrieved_at=NOW)
    long = {"page": 0, "relevance": "answers", "passages": [{"question": 0, "quote": page.text[: LONGEST_QUOTE + 50]}]}
    scripted: Any = Scripted({"pages": [long]})
    by_words = judge_by_words(SECTION, [page])
    [found] = asyncio.run(judge_pages(scripted, Session(Budget()), SECTION, [page], by_words))
    assert found.observations == []
