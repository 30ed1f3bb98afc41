"""Answers from the findings of a section: each sentence names the findings that it rests on, or is dropped."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from sightline.intelligence.embedded.research.answering import NO_ANSWER, source_of
from sightline.intelligence.model.claims import Claim, Sources
from sightline.intelligence.model.endpoint import Endpoint, Prompt
from sightline.intelligence.model.prompts import fenced, read_task
from sightline.intelligence.model.research.relevance import describe
from sightline.intelligence.model.session import Session
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import FindingText, QuestionAnswer

MOST_SENTENCES: Final = 4  # of an answer
REPAIRS: Final = 1

TASK: Final = read_task("answer")


class AnsweredQuestion(Struct):
    """The sentences that answer the question of this number."""

    question: int
    sentences: list[Claim]


class AnsweredQuestions(Struct):
    """The answer."""

    answers: list[AnsweredQuestion]


async def answer_questions(
    endpoint: Endpoint, session: Session, section: PlanSection, findings: Sequence[FindingText], language: str
) -> list[QuestionAnswer]:
    """Returns an answer per question, in order. Raises ModelFailed."""
    by_number = {
        number: "\n".join(one.quote for one in finding.observations) for number, finding in enumerate(findings, 1)
    }
    sources = Sources(by_number)
    shown = [f"Source {number}:\n{fenced('source', text)}" for number, text in by_number.items()]
    wanted = fenced("language", language)
    prompt = Prompt(TASK, "\n\n".join([describe(section), f"Language of the answers:\n{wanted}", *shown]))

    def read(answer: AnsweredQuestions) -> tuple[list[tuple[int, Claim]], str]:
        return sources.sort_out((one.question, claim) for one in answer.answers for claim in one.sentences)

    said = await endpoint.ask(session, prompt, AnsweredQuestions, read, REPAIRS)
    kept = await sources.confirm(endpoint, session, said)
    return [
        _answer(question, [claim for place, claim in kept if place == number][:MOST_SENTENCES], sources, findings)
        for number, question in enumerate(section.questions)
    ]


def _answer(
    question: str, claims: Sequence[Claim], sources: Sources, findings: Sequence[FindingText]
) -> QuestionAnswer:
    if not claims:
        return QuestionAnswer(question, NO_ANSWER, [])
    numbers = dict.fromkeys(number for claim in claims for number in claim.sources)
    text = " ".join(_shown(claim, sources, findings) for claim in claims)
    return QuestionAnswer(question, text, [findings[number - 1].id for number in numbers])


def _shown(claim: Claim, sources: Sources, findings: Sequence[FindingText]) -> str:
    """Returns the sentence with its quote and, in brackets, who says it and when."""
    quote = f" “{sources.exact(claim, claim.quote)}”" if claim.quote else ""
    whose = "; ".join(source_of(findings[number - 1]) for number in dict.fromkeys(claim.sources))
    return f"{sources.exactly(claim).rstrip('. ')}{quote} ({whose})."
