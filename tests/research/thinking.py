"""What a fake model answers to research: for each kind of request a value, or a function of the request."""

import re
from collections.abc import Callable
from typing import Any

from tests.intelligence.fake_model import Answer, Json, says

Thought = Answer | Json | Callable[[Json], Answer | Json]


def thinking(**thoughts: Thought) -> Callable[[Json], Answer]:
    """Answers by the field that the schema asks for: `pages`, `answers`, `verdicts`, or `sections` of a plan."""

    def answer(request: Json) -> Answer:
        thought = thoughts[kind_of(request)]
        made = thought(request) if callable(thought) else thought
        return made if isinstance(made, Answer) else says(made)

    return answer


def kind_of(request: Json) -> str:
    fields = request["response_format"]["json_schema"]["schema"]["properties"]
    return next(name for name in ("pages", "answers", "verdicts", "sections") if name in fields)


def data_of(request: Json) -> str:
    data: str = request["messages"][1]["content"]
    return data


def judged(**by_title: Json) -> Callable[[Json], Json]:
    """Pages by the first word of their title; others are unrelated."""

    def answer(request: Json) -> Json:
        found = re.findall(r"^Page (\d+):\n<data page \w+>\n(\w+)", data_of(request), re.MULTILINE)
        nothing: Json = {"relevance": "unrelated", "passages": []}
        return {"pages": [{"page": int(number), **by_title.get(word, nothing)} for number, word in found]}

    return answer


def page(relevance: str, *quotes: str, question: int = 0) -> Json:
    return {"relevance": relevance, "passages": [{"question": question, "quote": quote} for quote in quotes]}


def answered(*claims: Json, question: int = 0) -> Json:
    return {"answers": [{"question": question, "sentences": list(claims)}]}


def claim(text: str, *sources: int, quote: str | None = None) -> Json:
    return {"text": text, "sources": list(sources), "quote": quote}


def verdicts(*given: str) -> Json:
    return {"verdicts": [{"number": number, "verdict": verdict} for number, verdict in enumerate(given)]}


def agreeing(request: Json) -> Json:
    """Every statement follows."""
    numbers = re.findall(r'"number":(\d+)', data_of(request))
    return {"verdicts": [{"number": int(number), "verdict": "follows"} for number in numbers]}


def planned(*sections: Json, **changes: Any) -> Json:
    plan: Json = {
        "name": "Forecasts of demand",
        "rationale": "Rivals first.",
        "product": 0,
        "sections": list(sections),
    }
    return plan | changes


def section(**changes: Any) -> Json:
    plain: Json = {
        "name": "Forecasts",
        "type": "market",
        "objective": "Find out how growers forecast demand.",
        "questions": ["How do growers forecast demand?"],
        "topic": "demand forecasts",
        "competitors": [],
        "geography": "",
        "audience": "",
        "exclusions": "",
        "languages": ["English"],
        "domains": [],
        "excluded_domains": [],
    }
    return plain | changes
