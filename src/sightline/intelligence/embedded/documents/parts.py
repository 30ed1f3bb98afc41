"""The parts that documents are put together from. Each returns lines, with open points where nothing is recorded."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from sightline.intelligence.embedded.documents.findings import Finding
from sightline.intelligence.embedded.documents.markdown import ended, inline, paragraphs, strong
from sightline.intelligence.embedded.documents.requirements import Requirement
from sightline.intelligence.embedded.documents.writing import Topic, Writing, counted, separated, table, topic_of
from sightline.intelligence.embedded.sentences import split_sentences
from sightline.intelligence.embedded.words import words_of
from sightline.intelligence.material import AboutEvidence, AboutIdea, Quote

MOST_CRITERIA: Final = 5
MOST_FIGURES: Final = 4

_PURPOSE = re.compile(r"\bso that\b|\bin order to\b|\bdamit\b", re.IGNORECASE)
_CHECKABLE = re.compile(
    r"\b(?:within|at most|at least|no more than|never|always|only|must|cannot|can't|may not|can be|is asked|are asked"
    r"|shows?|appears?|lands|opens?|(?:is|are) (?:shown|marked|sent|kept|sorted|added|counted|offered)|every|each)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\d|%|(?<!at )(?<!past )\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty"
    r"|forty|fifty|hundreds?|thousands?|dozens?|half(?! past)|a third|a quarter|twice)\b",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    r"\b(?:out of scope|not (?:a )?part of|leaves? out|does not (?:include|cover|change)|will not|won't)\b",
    re.IGNORECASE,
)


def glance(writing: Writing) -> list[str]:
    about, mark = writing.material.initiative, writing.of_initiative()
    dates = f"{about.start_date or 'open'} to {about.finish_date or 'open'}"
    facts = [
        f"- Status: {_word(about.status)}, priority {_word(about.priority)}{mark}",
        *([f"- Product: {inline(about.product)}{mark}"] if about.product else []),
        *([f"- Teams: {', '.join(map(inline, about.teams))}{mark}"] if about.teams else []),
        *([f"- Planned: {dates}{mark}"] if about.start_date or about.finish_date else []),
        f"- Rests on: {_basis(writing)}",
    ]
    if not about.teams:
        facts.append(writing.ask("Team"))
    if about.finish_date is None:
        facts.append(writing.ask("Date"))
    return facts


def _basis(writing: Writing) -> str:
    found = writing.findings.all
    reviewed = sum(insight.is_reviewed for finding in found for insight in finding.insights)
    signals = {signal for finding in found for signal in finding.signals}
    return ", ".join(
        [
            counted(len(writing.material.ideas), "idea"),
            f"{counted(len(writing.material.insights), 'insight')} ({reviewed} reviewed)",
            counted(sum(len(finding.quotes) for finding in found), "quote"),
            counted(len(signals), "signal"),
            counted(len(customers(writing)), "customer"),
        ]
    )


def summary(writing: Writing) -> list[str]:
    lines = paragraphs(writing.material.initiative.description)
    shown = separated(f"{ended(line)}{writing.of_initiative()}" for line in lines)
    return shown or [writing.ask("Description")]


def problems(writing: Writing) -> list[str]:
    """Lists every problem with all its sources, its support, and its strongest quotes."""
    if not writing.findings.problems:
        return [writing.ask("Problem")]
    blocks: list[str] = []
    for finding in writing.findings.problems:
        heading = f"### {writing.label_of(finding)}. {inline(finding.title) or '…'}"
        blocks += [heading, "", *_finding(writing, finding), ""]
    if unreviewed := [finding for finding in writing.findings.problems if finding.insights and not finding.is_reviewed]:
        blocks.append(writing.ask("Review", ", ".join(map(writing.label_of, unreviewed))))
        return blocks
    return blocks[:-1]


def _finding(writing: Writing, finding: Finding) -> list[str]:
    described = [record for record in finding.records if record.description == finding.description]
    said = [f"{ended(line)}{writing.of_records(described)}" for line in paragraphs(finding.description)]
    lines = separated([*said, f"Support: {writing.support_of(finding)}{writing.of_finding(finding)}"])
    return [*lines, *_led(_also(writing, finding)), *_led(writing.quotes_of(finding))]


def _also(writing: Writing, finding: Finding) -> list[str]:
    """Lists the same problem in other records, and the resolutions of evidence."""
    lines = []
    for record in finding.records:
        mark = writing.of_records([record])
        role = f" ({record.role} {record.idea})" if isinstance(record, AboutEvidence) else ""
        if words_of(record.title) != words_of(finding.title):
            said = inline(record.description) if record.description != finding.description else ""
            lines.append(f"- Also: {strong(record.title)}{role}{f': {ended(said)}' if said else ''}{mark}")
        if isinstance(record, AboutEvidence) and record.resolution:
            lines.append(f"- Resolved: {ended(inline(record.resolution))}{mark}")
    return lines


def _led(lines: list[str]) -> list[str]:
    return ["", *lines] if lines else []


def valued(writing: Writing) -> list[str]:
    """Lists praise, which a change has to preserve. Without praise there is no open point."""
    return _in_short(writing, writing.findings.praise)


def objections(writing: Writing) -> list[str]:
    return _in_short(writing, writing.findings.objections) or [writing.ask("Objections")]


def _in_short(writing: Writing, found: Iterable[Finding]) -> list[str]:
    """Lists each finding as an item with its quotes."""
    lines: list[str] = []
    for finding in found:
        said = inline(finding.description)
        against = [each for each in finding.evidence if each.role in ("contradicts", "qualifies")]
        roles = f" ({', '.join(dict.fromkeys(f'{each.role} {each.idea}' for each in against))})" if against else ""
        title = f"- {strong(finding.title)}{roles}{f': {ended(said)}' if said else ''}{writing.of_finding(finding)}"
        inner = [*_also(writing, finding), *_led(writing.quotes_of(finding, 2))]
        lines += [title, *(f"  {line}".rstrip() for line in inner)]
    return lines


def customers(writing: Writing) -> list[str]:
    """Lists the customers of ideas, insights and signals, those with most findings first."""
    names = dict.fromkeys(name for finding in writing.findings.all for name in finding.accounts)
    names.update(dict.fromkeys(name for idea in writing.material.ideas for name in idea.accounts))
    counts = {name: sum(name in finding.accounts for finding in writing.findings.problems) for name in names}
    return sorted(names, key=lambda name: -counts[name])


def customer_table(writing: Writing) -> list[str]:
    rows = (_customer(writing, name) for name in customers(writing))
    head = ("Customer", "Problems", "Requirements", "Heard in", "Sources")
    return table(head, rows) or [writing.ask("Customers")]


def _customer(writing: Writing, name: str) -> tuple[str, ...]:
    quotes = [quote for finding in writing.findings.all for quote in finding.quotes if name in quote.accounts]
    return (
        inline(name),
        writing.problems_of(name),
        ", ".join(one.label for one in writing.requirements if name in one.accounts),
        ", ".join(dict.fromkeys(quote.signal for quote in quotes if quote.signal)) or "no quote",
        writing.of_customer(name).strip(),
    )


def goals(writing: Writing) -> list[str]:
    """Lists the purposes of initiative and ideas. An opportunity describes a problem, so it is not yet a goal."""
    questions = writing.questions()
    known = [*purposes(writing), *writing.answered(questions)]
    lines = [*known, *opportunities(writing), *writing.unanswered(questions)]
    return lines if known else [*lines, writing.ask("Goal")]


def opportunities(writing: Writing) -> list[str]:
    lines = []
    for one in writing.material.opportunities:
        said = inline(one.description)
        mark = writing.mark("opportunity", one.id, None, one.name)
        lines.append(f"- Opportunity: {strong(one.name)}{f': {ended(said)}' if said else ''}{mark}")
    return lines


def purposes(writing: Writing) -> list[str]:
    """Returns the clauses of initiative and ideas that name a purpose."""
    return [f"- “{inline(sentence[found.start() :])}”{mark}" for sentence, found, mark in _sentences(writing, _PURPOSE)]


def _sentences(writing: Writing, pattern: re.Pattern[str]) -> Iterator[tuple[str, re.Match[str], str]]:
    """Yields sentences of the descriptions that match the pattern, the position, and their source."""
    about = writing.material.initiative
    for sentence in split_sentences(about.description):
        if found := pattern.search(sentence):
            yield sentence, found, writing.of_initiative()
    for idea in writing.material.ideas:
        for sentence in split_sentences(idea.description):
            if found := pattern.search(sentence):
                yield sentence, found, writing.of_idea(idea)


def non_goals(writing: Writing) -> list[str]:
    questions = writing.questions()
    lines = [f"- “{inline(sentence)}”{mark}" for sentence, _, mark in _sentences(writing, _LEFT_OUT)]
    return [*lines, *writing.settled(questions)] or [writing.ask("Boundaries")]


def requirements(writing: Writing) -> list[str]:
    blocks: list[str] = []
    for requirement in writing.requirements:
        blocks += [*_requirement(writing, requirement), ""]
    return blocks[:-1] or [writing.ask("Requirements")]


def _requirement(writing: Writing, one: Requirement) -> list[str]:
    first, *others = one.ideas
    lines = [f"### {one.label}. {inline(first.name) or '…'}", ""]
    lines += separated(f"{ended(line)}{writing.of_idea(first)}" for line in paragraphs(first.description))
    lines.append("")
    known = set(split_sentences(first.description))
    for idea in others:
        said = " ".join(sentence for sentence in split_sentences(idea.description) if sentence not in known)
        lines.append(
            f"- Also asked as {strong(idea.name)}{f': {ended(inline(said))}' if said else ''}{writing.of_idea(idea)}"
        )
    marks = writing.of_ideas(one.ideas)
    status = ", ".join(dict.fromkeys(f"{idea.public_id} is {inline(idea.status)}" for idea in one.ideas))
    lines.append(f"- Status: {status}{marks}")
    if one.features:
        lines.append(f"- Touches: {', '.join(map(inline, one.features))}{marks}")
    evidence = "".join(map(writing.of_finding, one.problems))
    if one.problems:
        lines.append(f"- Solves: {writing.solved_by(one)}{evidence}")
    else:
        lines.append(writing.ask("Problem", one.label))
    if one.accounts:
        lines.append(f"- For: {_who(one.accounts)}{marks}{evidence}")
    return [*lines, *_acceptance(writing, one)]


def _acceptance(writing: Writing, one: Requirement) -> list[str]:
    """Lists testable sentences of the description and decisions about its behaviour; else an open point."""
    questions = writing.questions_of(one.public_ids)
    sentences: dict[str, AboutIdea] = {}
    for idea in one.ideas:
        for sentence in filter(_CHECKABLE.search, split_sentences(idea.description)):
            sentences.setdefault(sentence, idea)
    checkable = [f"- “{inline(sentence)}”{writing.of_idea(idea)}" for sentence, idea in sentences.items()]
    known = [*checkable[:MOST_CRITERIA], *writing.answered(questions)]
    asked = writing.unanswered(questions)
    if not known:
        asked.append(writing.ask("Acceptance", one.label))
    return ["", "Acceptance criteria, as far as they are recorded:", "", *known, *asked]


def measures(writing: Writing) -> list[str]:
    """Lists decided measures, ratings of studies, figures in the evidence, and an open point without a target."""
    questions = writing.questions()
    decided = writing.answered(questions)
    lines = [*decided, *ratings(writing), *figures(writing), *writing.unanswered(questions)]
    if not decided:
        lines.append(writing.ask("Measure and target"))
    elif not any(_FIGURE.search(each.answer) for each in questions if each.answer):
        lines.append(writing.ask("Target"))
    return lines


def ratings(writing: Writing) -> list[str]:
    return [
        f"- Rated today: {inline(one.metric)} {one.mean} on average, {counted(one.ratings, 'rating')}"
        f" ({one.study}){writing.mark('study', one.id, one.study, one.name)}"
        for one in writing.material.ratings
    ]


def figures(writing: Writing) -> list[str]:
    """Lists quotes with a figure, which may serve as a baseline."""
    found = [*writing.findings.problems, *writing.findings.praise]
    quotes = ((finding, quote) for finding in found for quote in finding.quotes if _FIGURE.search(quote.text))
    return [
        f"- Figure heard: {_quoted(quote)}{writing.of_records(finding.records_of(quote))}"
        for finding, quote in islice(quotes, MOST_FIGURES)
    ]


def _quoted(quote: Quote) -> str:
    return f"“{inline(quote.text)}”{f' ({quote.signal})' if quote.signal else ''}"


def constraints(writing: Writing) -> list[str]:
    questions = writing.questions()
    about, mark = writing.material.initiative, writing.of_initiative()
    dates = [f"- It has to be finished by {about.finish_date}{mark}"] if about.finish_date else []
    lines = [*dates, *writing.settled(questions)]
    if not any(each.answer for each in questions if topic_of(each.question) is Topic.CONSTRAINTS):
        lines.append(writing.ask("Rules and limits"))
    return lines


def rollout(writing: Writing) -> list[str]:
    questions = writing.questions()
    about, mark = writing.material.initiative, writing.of_initiative()
    dates = [f"- Starts: {about.start_date}{mark}"] if about.start_date else []
    dates += [f"- Finishes: {about.finish_date}{mark}"] if about.finish_date else []
    decided = writing.answered(questions)
    asked = writing.unanswered(questions)
    if not decided:
        asked.append(writing.ask("Rollout"))
    return [*dates, *_progress(writing), *decided, *asked]


def _progress(writing: Writing) -> list[str]:
    """Lists requirements by status. A requirement of several ideas may have several."""
    by_status: dict[str, list[tuple[str, AboutIdea]]] = {}
    for one in writing.requirements:
        for idea in one.ideas:
            by_status.setdefault(idea.status, []).append((one.label, idea))
    return [
        f"- {inline(status)}: {', '.join(dict.fromkeys(label for label, _ in found))}"
        f"{writing.of_ideas(idea for _, idea in found)}"
        for status, found in by_status.items()
    ]


def decisions(writing: Writing) -> list[str]:
    """Lists every question that no other heading has: its answer, or an open point."""
    return writing.settled(writing.other_questions())


def traceability(writing: Writing) -> list[str]:
    """Returns a table of requirement, problem, quote and customer, a row for each quote and customer without one."""
    rows = [row for one in writing.requirements for row in _trace(writing, one)]
    return table(("Requirement", "Problem", "Quote", "Signal", "Customer"), rows)


def _trace(writing: Writing, one: Requirement) -> list[tuple[str, ...]]:
    """The first row of a requirement, and of a problem, has its name; the others have the label alone."""
    named = f"{one.label} {inline(one.name)}{writing.of_ideas(one.ideas)}"
    rows: list[tuple[str, ...]] = []
    for finding in one.problems:
        label = writing.label_of(finding)
        problem = f"{label} {inline(finding.title)}"
        for quote in _quotes_and_linked(finding):
            marks = writing.of_records(finding.records_of(quote) if quote.text else finding.records)
            words = f"“{inline(quote.text)}”{marks}" if quote.text else f"no quote{marks}"
            rows.append((named, problem, words, quote.signal or "", _who(quote.accounts)))
            named, problem = one.label, label
    if rows:
        return rows
    direct = list(dict.fromkeys(account for idea in one.ideas for account in idea.accounts))
    return [(named, "none recorded", "", "", _who(direct))]


def _quotes_and_linked(finding: Finding) -> list[Quote]:
    """Returns the quotes of a finding, and an empty one for linked customers without a quote."""
    quoted = {account for quote in finding.quotes for account in quote.accounts}
    silent = [account for account in finding.accounts if account not in quoted]
    return finding.quotes + ([Quote("", None, silent)] if silent or not finding.quotes else [])


def _who(accounts: Iterable[str]) -> str:
    return ", ".join(map(inline, accounts))


def _word(value: str) -> str:
    """Returns a value of the product's own sets in words."""
    return inline(value.replace("_", " ").lower())


def scope(writing: Writing) -> list[str]:
    """Lists the parts of the product that change, by requirement."""
    about = writing.material.initiative
    rows: dict[str, list[str]] = {name: [] for name in about.features}
    marks: dict[str, str] = {name: writing.of_initiative() for name in about.features}
    for one in writing.requirements:
        for name in one.features:
            rows.setdefault(name, []).append(one.label)
            marks[name] = marks.get(name, "") + writing.of_ideas(one.ideas)
    shown = ((inline(name), ", ".join(labels), marks[name].strip()) for name, labels in rows.items())
    return table(("Feature", "Changed for", "Sources"), shown) or [writing.ask("Parts")]


def scale(writing: Writing) -> list[str]:
    """Lists decisions about sizes, and the load of the design."""
    return [*writing.settled(writing.questions()), writing.ask("Load")]


def data(writing: Writing) -> list[str]:
    return [*writing.settled(writing.questions()), writing.ask("Data")]


def design(writing: Writing) -> list[str]:
    return [writing.ask(name) for name in ("Components", "Interfaces", "Failures", "Alternatives")]


def tests(writing: Writing) -> list[str]:
    """Lists the acceptance criteria of the requirements as tests; the rest is open."""
    labels = ", ".join(one.label for one in writing.requirements)
    lines = [f"- The acceptance criteria of {labels}{writing.of_ideas(writing.material.ideas)}"] if labels else []
    return [*lines, *writing.settled(writing.questions()), writing.ask("Checks")]
