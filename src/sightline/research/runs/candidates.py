"""Pages that a section may take as sources: each text once, and which of them are best."""

from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from sightline.intelligence.research import FramedQuote, Judgement
from sightline.sources.addresses import host_of, identity
from sightline.sources.copies import is_copy
from sightline.sources.pages import Page


class Candidate(NamedTuple):
    """A page that matters, how it was found, what it says, and the publishers of its copies."""

    page: Page
    query: str
    provider: str
    judgement: Judgement
    observations: list[FramedQuote]
    is_preferred: bool
    also_in: list[str]

    @property
    def reason(self) -> str:
        """Why the page matters, and where else its text stands."""
        also = f" Also in {', '.join(self.also_in)}." if self.also_in else ""
        return f"{self.judgement.reason}{also}"


def join_copies(accepted: Sequence[Candidate], found: Iterable[Candidate]) -> list[Candidate]:
    """Returns each address and each text once.

    Of copies it keeps an accepted one, or else the one that was published first, and names the rest in `also_in`.
    """
    kept = list(accepted)
    taken = {identity(one.page.url) for one in kept}
    for one in sorted(found, key=lambda one: (_day(one.page) or inf, one.page.url)):
        if identity(one.page.url) in taken:
            continue
        taken.add(identity(one.page.url))
        original = next((other for other in kept if is_copy(other.page.text, one.page.text)), None)
        if original is None:
            kept.append(one)
        else:
            original.also_in.append(one.page.publisher or host_of(one.page.url) or one.page.title)
    return kept[len(accepted) :]


def best_first(found: Sequence[Candidate]) -> list[Candidate]:
    """Returns preferred ones first, then the best of each question in turn, then by score."""
    places: dict[str, int] = {}
    for number in range(max((len(one.judgement.fits) for one in found), default=0)):
        fits = {one.page.url: fit for one in found for fit in one.judgement.fits[number : number + 1] if fit}
        for place, url in enumerate(sorted(fits, key=lambda url: -fits[url])):
            places[url] = min(place, places.get(url, place))
    return sorted(
        found,
        key=lambda one: (not one.is_preferred, places.get(one.page.url, inf), -one.judgement.score, one.page.url),
    )


def _day(page: Page) -> float | None:
    return page.published.moment.timestamp() if page.published else None
