"""A plan from the wording of a question and what the workspace knows."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from sightline.intelligence import plans
from sightline.intelligence.embedded.headlines import capitalised, fitted
from sightline.intelligence.embedded.research.names import (
    named_in_evidence,
    named_in_question,
    names_in,
    place_in,
    without,
)
from sightline.intelligence.embedded.research.terms import (
    asked_for,
    folded,
    foreign_language,
    pattern,
    share,
    telling,
    weigh,
    wording,
)
from sightline.intelligence.embedded.sentences import split_sentences
from sightline.intelligence.embedded.vocabulary import GERMAN_WORDS
from sightline.intelligence.embedded.words import words_of
from sightline.intelligence.plans import Competitor, PlanDefinition, PlanSection, SectionScope, SectionType
from sightline.intelligence.research import PlanContext, ProductText, ResearchPlan
from sightline.platform.ids import new_id
from sightline.sources.languages import code_of, language_of, name_of
from sightline.sources.periods import Period, find_period, without_period

_LONGEST_SPLIT: Final = 200
_LONGEST_TOPIC: Final = 120
_LONGEST_NAME: Final = 80
_MOST_WORDS: Final = 8  # of a topic
_LEAST_OVERLAP: Final = 0.3  # of the question's terms stand in the names of a product and its features
_MOST_ASKED: Final = 2  # questions of an objective
_MOST_NAMES: Final = 2

_LEAST_WRITTEN: Final = 0.05
_MOST_OWN: Final = 1  # word of its own in a question that refers to the one before


def draft_plan(question: str, context: PlanContext) -> ResearchPlan:
    """One to four sections: competitors if any are named, the market, and what the wording asks for besides."""
    named = without(named_in_question(question, context.evidence), [*context.own_names, place_in(question)])
    suggested = _suggested(named, context)
    asked = bool(named) or bool(pattern("competitors").search(question))
    rivals = [one.name for one in suggested]
    text = " ".join(question.split())
    questions = _questions(text)
    scope = SectionScope(geography=place_in(question), languages=_languages(text, context.evidence))
    topic = _topic(questions, rivals if asked else [], scope.languages)
    product = _product(question, context)
    period = find_period(question, context.now)
    days = _window(period, context.now)
    definition = PlanDefinition(
        research_mode="recent" if days else "baseline",
        initial_lookback_days=days or (plans.LONGEST_LOOKBACK_DAYS if period else plans.DEFAULT_LOOKBACK_DAYS),
        max_sources_per_section=plans.PREPARED_SOURCES,
        output_language=plans.DEFAULT_LANGUAGE,
        product_id=str(product.id) if product else "",
        sections=_sections(questions, suggested[: plans.MOST_COMPETITORS] if asked else [], topic, scope),
    )
    return ResearchPlan(
        name=_name(questions[0]),
        definition=definition,
        rationale=_rationale(definition, period, product, rivals, asked),
        suggested_competitors=tuple(suggested),
    )


def _name(question: str) -> str:
    words = (_indirect(question) or pattern("lead").sub("", question).strip(" ?.!") or question).split()
    return capitalised(fitted(words, _LONGEST_NAME)) or "Research"


def _suggested(named: Sequence[str], context: PlanContext) -> list[Competitor]:
    """Returns competitors of the question, then of the evidence, at most ten."""
    noticed = without(named_in_evidence(context.evidence), context.own_names)
    names = {name.lower(): name for name in reversed([*named, *noticed])}
    return [Competitor(name=name) for name in list(reversed(names.values()))[: 2 * plans.MOST_COMPETITORS]]


def _questions(text: str) -> list[str]:
    """Returns the questions of the text, split at "and"; the text itself if it asks none."""
    sentences = split_sentences(text)
    asked = [one for one in sentences if one.endswith("?")] or sentences or [text]
    parts = (part.strip(" ,;") for one in asked for part in pattern("joined").split(one))
    whole = [two for part in parts if part for two in _two(part if part[-1:] in ".?!" else f"{part}?")]
    found, earlier = [], ""
    for one in whole:
        found.append(_with_subject(one, earlier))
        if found[-1] == one:
            earlier = one
    each = dict.fromkeys(capitalised(one)[: plans.LONGEST_QUESTION].strip() for one in found)
    return list(each)[: plans.MOST_QUESTIONS] or [text[: plans.LONGEST_QUESTION]]


def _two(question: str) -> list[str]:
    """Two questions for "How well do shops keep their bikes and their tools?"."""
    found = pattern("two").fullmatch(question) if len(question) <= _LONGEST_SPLIT else None
    return [f"{found['start']}{found['first']}?", f"{found['start']}{found['second']}"] if found else [question]


def _with_subject(question: str, earlier: str) -> str:
    """Adds what the earlier question is about to one like "How is that in Germany?" or "Why?"."""
    _, rest = asked_for(question.lower())
    own = [word for word in telling(rest) if word not in place_in(question).lower()]
    if not words_of(question) or len(own) > (_MOST_OWN if pattern("refers").search(question) else 0):
        return question
    named = GERMAN_WORDS.union(*map(words_of, names_in(earlier)))
    subject = [word for word in telling(without_period(earlier)) if word not in named][:_MOST_WORDS]
    return f"{question.rstrip('?. ')} ({' '.join(subject)})?" if subject else question


def _topic(questions: Sequence[str], names: Sequence[str], languages: Sequence[str]) -> str:
    """The telling words of the questions, without names, periods, and words that choose a section."""
    text = " ".join(questions)
    plain = without_period(text)
    for name in names:
        plain = plain.replace(name, " ")
    for cue in (wording().patterns["competitors"], *(lens.cues for lens in wording().lenses)):
        plain = re.sub(cue, " ", plain)
    words = telling(plain, languages) or telling(text, languages) or text.split()
    return fitted(words[:_MOST_WORDS], _LONGEST_TOPIC) or text[:_LONGEST_TOPIC].strip()


def _languages(text: str, evidence: Sequence[str]) -> list[str]:
    """Returns languages that the question names, else its own, English, and those of one in twenty customers' texts."""
    named = [word for word in pattern("language").findall(text) if code_of(word) and len(word) > 2]
    own = foreign_language(text)
    written = Counter(map(language_of, evidence))
    often = (code for code, count in written.most_common() if code and count >= _LEAST_WRITTEN * len(evidence))
    found = named or [*([own] if own else []), plans.DEFAULT_LANGUAGE, *map(name_of, often)]
    return list(dict.fromkeys(found))[: plans.MOST_LANGUAGES]


def _product(question: str, context: PlanContext) -> ProductText | None:
    """The product that the question names or shares most terms with; the only one there is if it shares any."""
    terms = weigh(question)
    named = [one for one in context.products if one.name.lower() in question.lower()]
    shares = {one: share(terms, folded(" ".join([one.name, *one.features]))) for one in named or context.products}
    best = max(shares, key=shares.__getitem__, default=None)
    return best if best and (len(named) == 1 or shares[best] >= _LEAST_OVERLAP) else None


def _window(period: Period | None, now: datetime) -> int | None:
    """Returns the days of an open period of at most 90 days, else None."""
    days = max(1, (now - period.since).days) if period and period.until is None else None
    return days if days and days <= plans.LONGEST_LOOKBACK_DAYS else None


def _sections(
    questions: list[str], competitors: list[Competitor], topic: str, scope: SectionScope
) -> list[PlanSection]:
    """Each question stands in one section: of competitors, of the first words that fit, or else of the market."""
    left, found = list(questions), list[tuple[str, SectionType, str, list[str]]]()
    if competitors:
        names = [one.name for one in competitors]
        about = _take(left, lambda one: any(name in one for name in names) or bool(pattern("competitors").search(one)))
        about = about or questions
        found.append(("Competitors", "competitors", _objective(about, names), about))
    for lens in wording().lenses:
        if about := _take(left, partial(re.search, lens.cues)):
            found.append((lens.name, "custom", lens.objective, about))
    if left:
        found.insert(min(1, len(found)), ("Market", "market", _objective(left), left))
    return [
        PlanSection(
            id=new_id(),
            name=name,
            type=type,
            objective=objective,
            questions=about,
            competitors=competitors if type == "competitors" else [],
            topic="" if type == "competitors" else topic,
            scope=scope,
        )
        for name, type, objective, about in found
    ]


def _take(questions: list[str], fits: Callable[[str], object]) -> list[str]:
    """Takes the questions that fit out of the list."""
    taken = [one for one in questions if fits(one)]
    questions[:] = [one for one in questions if one not in taken]
    return taken


def _indirect(question: str) -> str:
    """Returns "how shops pay" for "How do shops pay?"; empty if the question does not fit into a sentence."""
    text = question.strip().rstrip("?.! ")
    if text.isupper():
        return ""
    for form, said in wording().indirect.items():
        if found := re.fullmatch(form, text, re.IGNORECASE | re.DOTALL):
            indirect = found.expand(said)
            return indirect[:1].lower() + indirect[1:]
    return ""


def _objective(questions: Sequence[str], names: Sequence[str] = ()) -> str:
    """Returns what a section shall find out; the first `names` that it does not have are added."""
    asked = [one for one in map(_indirect, questions[:_MOST_ASKED]) if one]
    others = [name for name in names if not any(name in question for question in questions)][:_MOST_NAMES]
    among = f" ({', '.join(others)})" if others else ""
    is_whole = bool(asked) and len(asked) == len(questions[:_MOST_ASKED])
    form = "find out" if is_whole else "answer" if questions[0].endswith("?") else "search"
    return wording().plan[form].format(asked=" and ".join(asked), first=questions[0], among=among)


def _rationale(
    definition: PlanDefinition, period: Period | None, product: ProductText | None, rivals: list[str], is_asked: bool
) -> str:
    """Returns what the plan does and what it took from the question and the evidence, in one paragraph."""
    says, is_one = wording().plan, len(definition.sections) == 1
    dated = "recent" if definition.research_mode == "recent" else "period" if period else "any"
    about_rivals = "rivals" if rivals else "no rivals" if is_asked else ""
    parts = filter(None, ["sections", "product" if product else "", about_rivals, "review"])
    return " ".join(says[part] for part in parts).format(
        sections="one section" if is_one else "these sections",
        names=", ".join(section.name for section in definition.sections),
        each="It" if is_one else "Each",
        target=definition.max_sources_per_section,
        dated=says[dated].format(days=definition.initial_lookback_days, period=period.words if period else ""),
        product=product.name if product else "",
        rivals=", ".join(rivals),
    )
