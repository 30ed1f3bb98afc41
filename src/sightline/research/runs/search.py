"""Searches one section of a run: queries, pages, judgement, findings, answer. Uses no database.

The caller stores the result in one transaction. Searches are repeated here, so a section whose searches all failed is
not worth another attempt of the same job.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
from typing import Final, NamedTuple
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from sightline.intelligence.plans import DEFAULT_LANGUAGE, PlanSection, ResearchMode
from sightline.intelligence.research import LEAST_RELEVANCE, Coverage, FindingText, Researcher
from sightline.platform.ids import new_id
from sightline.research.runs.candidates import Candidate, best_first, join_copies
from sightline.research.runs.exact_quotes import keep_exact
from sightline.research.runs.records import FindingProvenance, Relevance
from sightline.research.runs.search_result import FoundSource, KnownSource, NewFinding, SearchedSection
from sightline.sources.addresses import identity, is_within
from sightline.sources.languages import code_of
from sightline.sources.pages import Page, PageReader, PageUnavailable
from sightline.sources.periods import Period, find_period
from sightline.sources.search import (
    SearchFailed,
    SearchHit,
    SearchPage,
    SearchProvider,
    SearchQuery,
    retry_while_temporary,
)

MOST_QUERIES: Final = 8  # in one round
MOST_FAILURES: Final = 3  # searches in a row that fail before the section gives up
MOST_OBSERVATIONS: Final = 3
MOST_WARNINGS: Final = 10
TRIES: Final = 3
READS_AT_ONCE: Final = 4


class SectionSearchFailed(Exception):
    """Every search of the section failed; the message is one sentence that a person may read."""


class SearchTools(NamedTuple):
    """What a search works with."""

    researcher: Researcher
    provider: SearchProvider
    reader: PageReader


class Terms(Struct, frozen=True, kw_only=True):
    """What a run lays down for all its sections. `target` is how many qualifying sources are enough."""

    research_mode: ResearchMode
    since: datetime
    until: datetime
    target: int
    output_language: str = DEFAULT_LANGUAGE


class Budget(Struct, frozen=True, kw_only=True):
    """What a section may take; a first preview takes one round.

    `seconds`: of the whole section. `patience`: seconds of one search or read. `pause`: seconds before a failed search
    is repeated, doubled each time.
    """

    rounds: int = 3
    reads: int = 30
    seconds: float = 45.0
    patience: float = 12.0
    pause: float = 0.5


async def search_section(
    section: PlanSection,
    terms: Terms,
    tools: SearchTools,
    *,
    known: Mapping[str, KnownSource],
    budget: Budget | None = None,
    warnings: Sequence[str] = (),
) -> SearchedSection:
    """Searches until the target is met or the budget is spent, then answers. Raises SectionSearchFailed.

    `known` has the sources of the run by their identity (`sources.addresses.identity`): they are not read again.
    `warnings` are said of the section before the warnings of its search.
    """
    search = _Search(section, terms, tools, known, budget or Budget(), warnings=list(warnings))
    try:
        async with asyncio.timeout(search.budget.seconds - tools.researcher.answer_seconds):
            await search.run()
    except TimeoutError:
        search.warn("The time for this section was used up.")
        if tools.researcher.compares:
            await search.judge_read()
    search.accept()
    if not search.answered and search.tried:
        reason = search.failures[-1] if search.failures else f"{tools.provider.name} did not answer in time."
        raise SectionSearchFailed(f"No search succeeded: {reason}")
    return await search.result()


class _ReadPage(NamedTuple):
    """A page that may be kept, and the query and the provider that found it."""

    page: Page
    query: str
    provider: str


@dataclass(slots=True)
class _Search:
    """A search under way."""

    section: PlanSection
    terms: Terms
    tools: SearchTools
    known: Mapping[str, KnownSource]
    budget: Budget
    tried: list[str] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    accepted: list[Candidate] = field(default_factory=list)
    unjudged: list[_ReadPage] = field(default_factory=list)
    visited: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    answered: int = 0
    failed_in_a_row: int = 0
    reads: int = 0
    unreadable: int = 0
    older: int = 0
    unnamed: frozenset[str] | None = None

    async def run(self) -> None:
        for round in range(self.budget.rounds):
            texts = await self.tools.researcher.queries(self.section, round, self.tried)
            if not texts:
                break
            await self._run_round(texts[:MOST_QUERIES])
            self.accept()
            if self._is_done():
                break
        if not self.accepted and self.terms.research_mode == "recent":
            await self._run_round(self.tried[:MOST_QUERIES], is_windowed=False)

    def _is_done(self) -> bool:
        is_broken = self.failed_in_a_row >= MOST_FAILURES
        return len(self.accepted) >= self.terms.target or self.reads >= self.budget.reads or is_broken

    async def _run_round(self, texts: list[str], *, is_windowed: bool = True) -> None:
        """Searches every text, then reads the hits: the best of each query first."""
        found: list[list[tuple[SearchHit, str]]] = []
        for text in texts:
            self.tried.append(text)
            for query in self._queries_of(text, is_windowed=is_windowed):
                if self.failed_in_a_row < MOST_FAILURES:
                    found.append([(hit, text) for hit in await self._hits(query)])
        await self._read_all([one for rank in zip_longest(*found) for one in rank if one is not None])

    def _queries_of(self, text: str, *, is_windowed: bool) -> list[SearchQuery]:
        """Preferred domains are searched by themselves first."""
        scope, terms = self.section.scope, self.terms
        codes = {label: code_of(label) for label in scope.languages}
        named = [label for label, code in codes.items() if code is None]
        query = SearchQuery(
            text=" ".join([text, *named]),
            excluded_domains=tuple(scope.excluded_domains),
            languages=tuple(code for code in codes.values() if code),
            since=terms.since if is_windowed and terms.research_mode == "recent" else None,
            until=terms.until,
            limit=max(10, 2 * terms.target),
            sites=tuple(one.website for one in self.section.competitors if one.website),
        )
        if scope.source_mode == "open":
            return [query]
        within = replace(query, domains=tuple(scope.domains))
        return [within] if scope.source_mode == "restricted" else [within, query]

    async def _hits(self, query: SearchQuery) -> list[SearchHit]:
        """The hits, after up to three tries; none if all of them fail."""
        try:
            page = await retry_while_temporary(lambda: self._ask(query), tries=TRIES, pause=self.budget.pause)
        except SearchFailed as failure:
            self.failures.append(failure.reason)
            self.failed_in_a_row += 1
            self.warn(f"A search failed: {failure.reason}")
            return []
        self.answered += 1
        self.failed_in_a_row = 0
        for warning in page.warnings:
            self.warn(warning)
        return page.hits

    async def _ask(self, query: SearchQuery) -> SearchPage:
        try:
            return await asyncio.wait_for(self.tools.provider.search(query), self.budget.patience)
        except TimeoutError:
            raise SearchFailed(f"{self.tools.provider.name} did not answer in time.") from None

    async def _read_all(self, hits: list[tuple[SearchHit, str]]) -> None:
        """Reads as many as the budget allows, some at once, each address once. Judges some while it reads the next, or
        all at the end.
        """
        chosen = [(hit, text) for hit, text in hits if self._visit(hit.url)][: self.budget.reads - self.reads]
        async with asyncio.TaskGroup() as judging:
            for at in range(0, len(chosen), READS_AT_ONCE):
                some = chosen[at : at + READS_AT_ONCE]
                self.reads += len(some)
                pages = await asyncio.gather(*(self._read(hit.url) for hit, _ in some))
                self.unjudged += [
                    _ReadPage(page, text, hit.provider or self.tools.provider.name)
                    for page, (hit, text) in zip(pages, some, strict=True)
                    if page is not None and self._is_allowed(page.url) and self._is_in_language(page)
                ]
                if not self.tools.researcher.compares:
                    judging.create_task(self.judge_read())
        await self.judge_read()

    def _visit(self, url: str) -> bool:
        """Whether the address may be read and was not yet considered in this section."""
        key = identity(url)
        is_new = key not in self.visited and self._is_allowed(url)
        self.visited.add(key)
        return is_new

    def _is_allowed(self, url: str) -> bool:
        scope = self.section.scope
        if is_within(url, scope.excluded_domains):
            return False
        return scope.source_mode != "restricted" or is_within(url, scope.domains)

    async def _read(self, url: str) -> Page | None:
        """The page, as the run has read it before if it has."""
        if (source := self.known.get(identity(url))) is not None:
            return source.page
        try:
            page = await asyncio.wait_for(self.tools.reader.read(url, self._is_allowed), self.budget.patience)
        except (PageUnavailable, TimeoutError):
            self.unreadable += 1
            return None
        source = self.known.get(identity(page.url))
        return source.page if source else page

    async def judge_read(self) -> None:
        """Keeps the pages that matter and say something, and counts those outside the window."""
        read, self.unjudged = self.unjudged, []
        if not read:
            return
        judgements = await self.tools.researcher.judge(self.section, [one.page for one in read])
        scope = self.section.scope
        for one, judgement in zip(read, judgements, strict=True):
            observations = keep_exact(judgement.observations, one.page.text)[:MOST_OBSERVATIONS]
            self.unnamed = judgement.lacks if self.unnamed is None else self.unnamed & judgement.lacks
            if judgement.score < LEAST_RELEVANCE or not observations:
                continue
            if not self._is_in_window(one.page):
                self.older += 1
            else:
                is_preferred = scope.source_mode == "preferred" and is_within(one.page.url, scope.domains)
                self.candidates.append(Candidate(*one, judgement, observations, is_preferred, []))

    def _is_in_language(self, page: Page) -> bool:
        codes = {code for label in self.section.scope.languages if (code := code_of(label))}
        return page.language is None or not codes or page.language in codes

    def _is_in_window(self, page: Page) -> bool:
        """Recent research needs a date inside the window; a baseline takes older and undated pages too.

        Where each question names a period, a baseline takes pages that are dated in one of them.
        """
        terms, published = self.terms, page.published
        if terms.research_mode == "recent":
            return published is not None and published.is_within(terms.since, terms.until)
        periods = self._periods()
        if published is None:
            return not periods
        is_reported = not periods or any(one.is_published(published.moment) for one in periods)
        return is_reported and published.is_within(None, terms.until)

    def _periods(self) -> list[Period]:
        """Returns the periods that the questions of a baseline name; none if one of them names none."""
        found = [find_period(one, self.terms.until) for one in self.section.questions]
        is_any_time = self.terms.research_mode == "recent" or None in found
        return [] if is_any_time else [one for one in found if one]

    def accept(self) -> None:
        """Takes the best candidates until the target is met, each text once; of copies the first published one."""
        found = join_copies(self.accepted, self.candidates)
        self.accepted += best_first(found)[: self.terms.target - len(self.accepted)]
        self.candidates = []

    def warn(self, text: str) -> None:
        if text not in self.warnings and len(self.warnings) < MOST_WARNINGS:
            self.warnings.append(text)

    async def result(self) -> SearchedSection:
        if self.unreadable:
            self.warn(f"{self.unreadable} of {self.reads} pages could not be read.")
        findings, sources = [], []
        for one in self.accepted:
            source = self.known.get(identity(one.page.url))
            if source is None:
                sources.append(_source(one.page))
            findings.append(self._finding(one, source.id if source else sources[-1].id))
        texts = [_text(finding, found) for finding, found in zip(findings, self.accepted, strict=True)]
        answer = await self.tools.researcher.answer(self.section, texts, self._coverage())
        return SearchedSection(findings, sources, answer, self.warnings)

    def _coverage(self) -> Coverage:
        return Coverage(
            target=self.terms.target,
            found=len(self.accepted),
            read=self.reads,
            research_mode=self.terms.research_mode,
            since=self.terms.since,
            until=self.terms.until,
            output_language=self.terms.output_language,
            warnings=tuple(self.warnings),
            older=self.older,
            unnamed=self.unnamed or frozenset(),
            periods=tuple(dict.fromkeys(one.words for one in self._periods())),
        )

    def _finding(self, found: Candidate, source_id: UUID) -> NewFinding:
        page, researcher = found.page, self.tools.researcher
        return NewFinding(
            id=new_id(),
            source_id=source_id,
            title=page.title,
            url=page.url,
            publisher=page.publisher,
            published_at=page.published.moment if page.published else None,
            retrieved_at=page.retrieved_at,
            relevance=Relevance(round(found.judgement.score, 2), found.reason),
            observations=found.observations,
            provenance=FindingProvenance(
                found.provider,
                found.query,
                page.content_hash,
                found.judgement.engine or f"{researcher.name} {researcher.version}",
            ),
        )


def _source(page: Page) -> FoundSource:
    return FoundSource(new_id(), page.url, page.content_hash, page.text, page.retrieved_at, page.language)


def _text(one: NewFinding, found: Candidate) -> FindingText:
    return FindingText(
        one.id,
        one.title,
        one.url,
        one.publisher,
        one.published_at,
        one.observations,
        tuple(found.also_in),
        found.judgement.spots,
    )
