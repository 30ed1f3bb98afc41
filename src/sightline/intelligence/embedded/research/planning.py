"""A plan from the wording of a question and what the workspace knows."""

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from sightline.intelligence.embedded.headlines import capitalised, fitted
from sightline.intelligence.embedded.research.names import named_in_evidence, named_in_question, place_in, without
from sightline.intelligence.embedded.research.terms import share, telling, weigh
from sightline.intelligence.embedded.sentences import split_sentences
from sightline.intelligence.plans import (
    DEFAULT_LANGUAGE,
    DEFAULT_LOOKBACK_DAYS,
    MOST_COMPETITORS,
    MOST_LANGUAGES,
    MOST_QUESTIONS,
    PREPARED_SOURCES,
    Competitor,
    PlanDefinition,
    PlanSection,
    ResearchMode,
    SectionScope,
    SectionType,
)
from sightline.intelligence.research import PlanContext, ProductText, ResearchPlan
from sightline.platform.ids import new_id
from sightline.sources.languages import code_of

_LONGEST_QUESTION: Final = 500
_LONGEST_TOPIC: Final = 120
_LONGEST_NAME: Final = 80
_MOST_WORDS: Final = 8  # of a topic
_LEAST_OVERLAP: Final = 0.3  # of the question's terms stand in the names of a product and its features
_DAYS: Final = {"day": 1, "week": 7, "month": 30, "quarter": 90, "year": 365}
_NUMBERS: Final = {"two": 2, "three": 3, "four": 4, "six": 6}


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.split())})\b", re.IGNORECASE)


_SPAN: Final = re.compile(
    r"\b(?:last|past|previous)\s+(?:(\d{1,3}|two|three|four|six)\s+)?(day|week|month|quarter|year)s?\b", re.IGNORECASE
)
_LONG_VIEW: Final = _any_of(r"history historical(?:ly)? so\sfar baseline background overview over\sthe\syears ever")
_COMPETITORS: Final = _any_of(r"competitors? rivals? competing alternatives? versus vs other\s(?:tools|vendors)")
_PRICES: Final = _any_of("price prices priced pricing costs? charges? charging fees? tariffs? subscriptions?")
_RULES: Final = _any_of("laws? legal regulations? regulatory rules compliance directive standards? tax gdpr")
_VOICES: Final = _any_of(
    r"complain\w* feedback reviews? praise frustrat\w+ opinions? forums? say\sabout think\sof think\sabout"
)
_LEAD: Final = re.compile(
    r"^(?:please\s+)?(?:(?:what|which|who|whom|how|why|where|when|is|are|do|does|did|can|could|should|will|would|has"
    r"|have|there|the|a|an|of|find out|research|tell|show|list|compare|summari[sz]e|look (?:at|into)|me|us|we|many"
    r"|much)\s+)+",
    re.IGNORECASE,
)
_JOINED: Final = re.compile(
    r",? and (?=(?:what|which|how|who|why|where|when|do|does|is|are)\b)|(?<=\?)\s+", re.IGNORECASE
)
_LANGUAGE: Final = re.compile(
    r"\b([A-Z][a-z]+)(?:[- ]language\b|(?= (?:sources|articles|pages|press|and\b|or\b))|(?=[.,;?!]|$))"
)

_ASKING: Final = r"(?:how|why|when|where|what|which|who|whom)"
_DO: Final = re.compile(rf"({_ASKING}\b(?:\s+[\w-]+){{0,4}}?)\s+do\s+(.+)", re.IGNORECASE | re.DOTALL)
_BE: Final = re.compile(
    rf"({_ASKING})\s+(is|are|was|were)\s+((?:the|a|an|our|your|their|its)\s.+)", re.IGNORECASE | re.DOTALL
)
_WHETHER: Final = re.compile(r"do\s+(.+)", re.IGNORECASE | re.DOTALL)
_SUBJECT: Final = re.compile(rf"{_ASKING}\b.+", re.IGNORECASE | re.DOTALL)
# A verb that another order of words would move: after the question word, or an auxiliary near it.
_MOVED: Final = re.compile(
    rf"{_ASKING}\s+(?:is|are|was|were)\b|.*\b(?:do|does|did|can|could|should|will|would|has|have|had|may|might|must)\b",
    re.IGNORECASE,
)
_MOST_ASKED: Final = 2  # questions of an objective
_MOST_NAMES: Final = 2


class _Reading(NamedTuple):
    """What a question says, within the bounds of a plan."""

    questions: list[str]
    topic: str
    competitors: list[Competitor]
    scope: SectionScope


class _Lens(NamedTuple):
    """A further section that some words of a question ask for."""

    cue: re.Pattern[str]
    name: str
    objective: str
    questions: Sequence[str]


_LENSES: Final = (
    _Lens(
        _PRICES,
        "Prices and packages",
        "Find out which prices are published, what they include and how they changed.",
        ("Which prices are published ({topic})?",),
    ),
    _Lens(
        _RULES,
        "Rules and deadlines",
        "Find out which rules apply, from when, and what they demand.",
        ("From when do these rules apply ({topic})?",),
    ),
    _Lens(
        _VOICES,
        "Public feedback",
        "Find out what people who use such products say in public.",
        ("What do people praise ({topic})?",),
    ),
)


def draft_plan(question: str, context: PlanContext) -> ResearchPlan:
    """One to four sections: competitors if any are named, the market, and what the wording asks for besides."""
    named = without(named_in_question(question), [*context.own_names, place_in(question)])
    suggested = _suggested(named, context)
    asked = bool(named) or bool(_COMPETITORS.search(question))
    reading = _read(question, suggested if asked else [])
    product = _product(question, context)
    mode, days = _period(question)
    definition = PlanDefinition(
        research_mode=mode,
        initial_lookback_days=days,
        max_sources_per_section=PREPARED_SOURCES,
        output_language=DEFAULT_LANGUAGE,
        product_id=str(product.id) if product else "",
        sections=_sections(reading),
    )
    return ResearchPlan(
        name=_name(reading.questions[0]),
        definition=definition,
        rationale=_rationale(
            definition, product.name if product else None, [one.name for one in suggested], is_asked=asked
        ),
        suggested_competitors=tuple(suggested),
    )


def _name(question: str) -> str:
    words = (_indirect(question) or _LEAD.sub("", question).strip(" ?.!") or question).split()
    return capitalised(fitted(words, _LONGEST_NAME)) or "Research"


def _suggested(named: Sequence[str], context: PlanContext) -> list[Competitor]:
    """Those of the question first, then those of the evidence, at most ten."""
    noticed = without(named_in_evidence(context.evidence), context.own_names)
    names = {name.lower(): name for name in reversed([*named, *noticed])}
    return [Competitor(name=name) for name in list(reversed(names.values()))[: 2 * MOST_COMPETITORS]]


def _read(question: str, competitors: Sequence[Competitor]) -> _Reading:
    text = " ".join(question.split())
    questions = _questions(text)
    names = [one.name for one in competitors]
    scope = SectionScope(geography=place_in(question), languages=_languages(text))
    topic = _topic(questions, names, scope.languages)
    return _Reading(questions, topic, list(competitors[:MOST_COMPETITORS]), scope)


def _questions(text: str) -> list[str]:
    """The questions of the text, those joined by "and" apart; the text itself where it asks none."""
    sentences = split_sentences(text)
    asked = [one for one in sentences if one.endswith("?")] or sentences or [text]
    parts = (part.strip(" ,;") for one in asked for part in _JOINED.split(one))
    whole = (part if part[-1:] in ".?!" else f"{part}?" for part in parts if part)
    found = dict.fromkeys(capitalised(one)[:_LONGEST_QUESTION].strip() for one in whole)
    return list(found)[:MOST_QUESTIONS] or [text[:_LONGEST_QUESTION]]


def _topic(questions: Sequence[str], names: Sequence[str], languages: Sequence[str]) -> str:
    """The telling words of the questions, without names, spans of time, and words that choose a section."""
    text = " ".join(questions)
    plain = _SPAN.sub(" ", text)
    for name in names:
        plain = plain.replace(name, " ")
    for cue in (_LONG_VIEW, _COMPETITORS, *(lens.cue for lens in _LENSES)):
        plain = cue.sub(" ", plain)
    words = telling(plain, languages) or telling(text, languages) or text.split()
    return fitted(words[:_MOST_WORDS], _LONGEST_TOPIC) or text[:_LONGEST_TOPIC].strip()


def _languages(text: str) -> list[str]:
    """Languages that the question names; English if it names none."""
    named = [word for word in _LANGUAGE.findall(text) if code_of(word) and len(word) > 2]
    return list(dict.fromkeys(named))[:MOST_LANGUAGES] or [DEFAULT_LANGUAGE]


def _product(question: str, context: PlanContext) -> ProductText | None:
    """The product that the question names or shares most terms with; the only one there is if it shares any."""
    terms = weigh(question)
    named = [one for one in context.products if one.name.lower() in question.lower()]
    if len(named) == 1:
        return named[0]
    shares = [(share(terms, weigh(" ".join([one.name, *one.features]))), one) for one in named or context.products]
    best = max(shares, key=lambda one: one[0], default=None)
    return best[1] if best and best[0] >= _LEAST_OVERLAP else None


def _period(question: str) -> tuple[ResearchMode, int]:
    """The window that the question names, 1 to 90 days; a longer look back takes older sources too."""
    if found := _SPAN.search(question):
        count = int(_NUMBERS.get(found[1].lower(), 0) or found[1]) if found[1] else 1
        days = count * _DAYS[found[2].lower()]
        return ("recent", max(1, days)) if days <= 90 else ("baseline", 90)
    return ("baseline" if _LONG_VIEW.search(question) else "recent"), DEFAULT_LOOKBACK_DAYS


def _sections(reading: _Reading) -> list[PlanSection]:
    """Each question stands in one section: of competitors, of the first words that fit, or else of the market."""
    left = list(reading.questions)
    sections = []
    if reading.competitors:
        names = [one.name for one in reading.competitors]
        about = _take(left, lambda one: any(name in one for name in names) or bool(_COMPETITORS.search(one)))
        sections.append(_competitors_section(reading, about or reading.questions))
    for lens in _LENSES:
        if about := _take(left, lambda one, cue=lens.cue: bool(cue.search(one))):  # type: ignore[misc]  # mypy infers no default
            questions = [*about, *(one.format(topic=reading.topic) for one in lens.questions)][:MOST_QUESTIONS]
            sections.append(_section(reading, lens.name, "custom", lens.objective, questions))
    if left:
        sections.insert(min(1, len(sections)), _section(reading, "Market", "market", _objective(left), left))
    return sections


def _take(questions: list[str], fits: Callable[[str], bool]) -> list[str]:
    """Takes the questions that fit out of the list."""
    taken = [one for one in questions if fits(one)]
    questions[:] = [one for one in questions if one not in taken]
    return taken


def _competitors_section(reading: _Reading, questions: list[str]) -> PlanSection:
    aim = _objective(questions, [one.name for one in reading.competitors])
    section = _section(reading, "Competitors", "competitors", aim, questions)
    section.competitors = reading.competitors
    return section


def _section(reading: _Reading, name: str, type: SectionType, aim: str, questions: list[str]) -> PlanSection:
    return PlanSection(
        id=new_id(),
        name=name,
        type=type,
        objective=aim,
        questions=list(questions),
        topic="" if type == "competitors" else reading.topic,
        scope=reading.scope,
    )


def _indirect(question: str) -> str:
    """Returns "how shops pay" for "How do shops pay?"; empty if the question does not fit into a sentence."""
    text = question.strip().rstrip("?.! ")
    if text.isupper():
        return ""
    if found := _DO.fullmatch(text):
        return f"{_lowered(found[1])} {found[2]}"
    if found := _BE.fullmatch(text):
        return f"{_lowered(found[1])} {found[3]} {found[2].lower()}"
    if found := _WHETHER.fullmatch(text):
        return f"whether {found[1]}"
    return _lowered(text) if _SUBJECT.fullmatch(text) and not _MOVED.match(" ".join(text.split()[:4])) else ""


def _objective(questions: Sequence[str], names: Sequence[str] = ()) -> str:
    """Returns what a section shall find out; the first `names` that it does not have are added."""
    asked = [one for one in map(_indirect, questions[:_MOST_ASKED]) if one]
    others = [name for name in names if not any(name in question for question in questions)][:_MOST_NAMES]
    among = f" ({', '.join(others)})" if others else ""
    if asked and len(asked) == len(questions[:_MOST_ASKED]):
        return f"Find out {' and '.join(asked)}{among}."
    first = questions[0]
    return f"Answer “{first}” from public sources{among}." if first.endswith("?") else f"Find sources for: {first}"


def _rationale(definition: PlanDefinition, product: str | None, suggested: Sequence[str], *, is_asked: bool) -> str:
    """Returns what the plan does and what it took from the question and the evidence, in one paragraph."""
    names = ", ".join(section.name for section in definition.sections)
    asked, each = ("one section", "It") if len(definition.sections) == 1 else ("these sections", "Each")
    target = definition.max_sources_per_section
    is_recent = definition.research_mode == "recent"
    dated = f"published in the last {definition.initial_lookback_days} days" if is_recent else "of any age"
    parts = [f"The words of the question ask for {asked}: {names}."]
    parts += [f"{each} looks for {target} sources {dated}{'' if is_recent else ', undated ones included'}."]
    if product:
        parts.append(f"It seems to be about {product}.")
    if suggested:
        parts.append(f"The question or your evidence names these competitors: {', '.join(suggested)}.")
    elif is_asked:
        parts.append("No competitor is named in the question or in your evidence; add those to look at.")
    return " ".join([*parts, "The embedded engine drafted this plan from words, so review it before you start it."])


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
