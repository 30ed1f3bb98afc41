"""Which apps a question means: the store is searched by the names that the question gives."""

import asyncio
import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from sightline.intelligence.embedded.words import words_of
from sightline.intelligence.plans import AppConnector, AppRead, PlanDefinition
from sightline.intelligence.research import PlanContext
from sightline.platform.beside import run_beside
from sightline.platform.wire import Record
from sightline.sources.app_store.records import App
from sightline.sources.app_store.store import AppStore, StoreUnavailable

CONNECTOR: Final[AppConnector] = "mobile_store"
MOST_NAMES: Final = 4  # that are searched
MOST_CHOICES: Final = 5  # of a name
SEARCHED: Final = 20  # results that are looked through
SECONDS: Final = 9.0  # for all searches together
SELECT: Final = "Several apps may be meant: select those whose reviews are to be read."

_ABOUT_APPS: Final = re.compile(
    r"\b(?:apps?|app\s?store|mobile|ios|iphone|ipad|(?:user|customer|store)\s+reviews?|reviewers?|ratings?|stars)\b",
    re.IGNORECASE,
)

_QUOTED: Final = re.compile(r'["\u201c]([^"\u201c\u201d]{2,80})["\u201d]')


class AppChoice(Record):
    """An app that the question may mean."""

    connector: AppConnector
    external_id: str
    label: str
    publisher: str
    reason: str


class FoundApps(NamedTuple):
    """The apps that are meant beyond doubt, the apps to select from, and notes about the search."""

    reads: list[AppRead]
    choices: list[AppChoice]
    notes: list[str]
    is_answered: bool


async def find_apps(store: AppStore, question: str, definition: PlanDefinition, context: PlanContext) -> FoundApps:
    """Searches the store for each name, in bounded time. Searches nothing if the question gives no name."""
    names = await run_beside(lambda: names_in(question, definition, context))
    try:
        async with asyncio.timeout(SECONDS):
            results = await asyncio.gather(*(store.search(name, SEARCHED) for name in names))
    except (StoreUnavailable, TimeoutError) as failure:
        reason = str(failure) if isinstance(failure, StoreUnavailable) else "The app store did not answer in time."
        return FoundApps([], [], [f"The app store could not be searched: {reason}"], is_answered=False)
    return await run_beside(lambda: _sort_out(names, results))


def names_in(question: str, definition: PlanDefinition, context: PlanContext) -> list[str]:
    """The competitors that the question names, at most four names, each once.

    If the question or the plan is about apps, quoted names, named products and all competitors are added.
    """
    asked = [text for section in definition.sections for text in (section.objective, *section.questions)]
    competitors = [one for section in definition.sections for one in section.competitors]
    names = [name for one in competitors for name in (one.name, *one.aliases)]
    words = _spaced(question)
    named = [name for name in names if _is_in(name, words)]
    if any(_ABOUT_APPS.search(text) for text in (question, *asked)):
        named += _QUOTED.findall(question)
        named += [one.name for one in context.products if _is_in(one.name, words)]
        named += [one.name for one in competitors]
    by_words = {tuple(words_of(name)): name for name in reversed(named) if words_of(name)}
    return list(reversed(by_words.values()))[:MOST_NAMES]


def _spaced(text: str) -> str:
    return f" {' '.join(words_of(text))} "


def _is_in(name: str, words: str) -> bool:
    """Whether the words of the name stand in these, one after the other."""
    return bool(words_of(name)) and _spaced(name) in words


def _sort_out(names: Sequence[str], results: Sequence[list[App]]) -> FoundApps:
    reads: dict[str, AppRead] = {}
    of_names: list[list[AppChoice]] = []
    notes = []
    for name, found in zip(names, results, strict=True):
        by_name = [app for app in found if _is_in(name, _spaced(app.name))]
        apps = by_name or [app for app in found if _is_in(name, _spaced(app.publisher))]
        if not apps:
            notes.append(f"The app store has no app named {name}.")
        elif by_name and len(apps) == 1 and words_of(apps[0].name)[: len(words_of(name))] == words_of(name):
            reads[apps[0].id] = read_of(apps[0].id, apps[0].name)
            notes.append(f"The app store has one app named {name}, whose reviews are read: {apps[0].name}.")
        else:
            of_names.append([_choice(name, app, is_named=bool(by_name)) for app in apps[:MOST_CHOICES]])
    by_id: dict[str, AppChoice] = {}
    for choice in (one for rank in zip_longest(*of_names) for one in rank if one is not None):
        if choice.external_id not in reads:
            by_id.setdefault(choice.external_id, choice)
    if by_id:
        notes.append(SELECT)
    return FoundApps(list(reads.values()), list(by_id.values()), notes, is_answered=True)


def _choice(name: str, app: App, *, is_named: bool) -> AppChoice:
    reason = f'{"Its name" if is_named else "Its publisher"} has the words "{name}"'
    if app.rating is not None and app.rating_count:
        reason += f"; rated {app.rating:.1f} by {app.rating_count} people"
    return AppChoice(CONNECTOR, app.id, app.name, app.publisher, f"{reason}.")


def read_of(id: str, label: str) -> AppRead:
    """A read that belongs to every section."""
    return AppRead(connector=CONNECTOR, external_id=id, label=label)
