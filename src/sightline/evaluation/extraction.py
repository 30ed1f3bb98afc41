"""How well text and dates are taken from pages: extraction compared with labels."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from msgspec import Struct

from sightline.evaluation.worlds import share
from sightline.platform.errors import BadRequest
from sightline.platform.json_lines import read_json_lines
from sightline.sources.extraction import extract
from sightline.sources.pages import Page, PageUnavailable

LABELS: Final = "labels.jsonl"
_ONE_DAY: Final = 1


class LabelledPage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a page says: passages of its text, passages around it, and its day of publication if it has one."""

    file: str
    url: str
    text: list[str]
    noise: list[str]
    published: date | None


class PageResult(Struct, frozen=True, kw_only=True, rename="camel"):
    """What was wrong with a page; `published` is what was found."""

    file: str
    missing: list[str]
    noise: list[str]
    published: date | None
    is_date_right: bool

    def __str__(self) -> str:
        parts = [f"without {passage!r}" for passage in self.missing] + [f"with {passage!r}" for passage in self.noise]
        if not self.is_date_right:
            parts.append(f"dated {self.published}" if self.published else "not dated")
        return f"{self.file} {'; '.join(parts)}"


class ExtractionQuality(Struct, frozen=True, kw_only=True, rename="camel"):
    """Shares from 0 to 1, None where nothing could be counted.

    `text_precision` is the share of passages found that belong to the text. A date is right up to a day beside;
    `date_precision` counts the dates that were given, `date_recall` the pages that have one. `faults` are the pages
    with anything wrong.
    """

    pages: int
    text_precision: float | None
    text_recall: float | None
    text_f1: float | None
    dated_pages: int
    dates_given: int
    date_precision: float | None
    date_recall: float | None
    milliseconds: float
    faults: list[PageResult]


def read_pages(folder: Traversable) -> list[tuple[LabelledPage, bytes]]:
    """Reads the pages that the folder's labels.jsonl names. Raises BadRequest for none, and at the first fault."""
    lines = _content(folder, LABELS).splitlines()
    named = read_json_lines(str(folder.joinpath(LABELS)), lines, LabelledPage)
    pages = [(page, _content(folder, page.file)) for _, page in named]
    if not pages:
        raise BadRequest(f"{folder.joinpath(LABELS)} has no pages.")
    return pages


def _content(folder: Traversable, name: str) -> bytes:
    if Path(name).name != name:
        raise BadRequest(f"{name} does not lie beside {LABELS}.")
    try:
        return folder.joinpath(name).read_bytes()
    except OSError as error:
        raise BadRequest(f"{folder.joinpath(name)} cannot be read: {error.strerror}.") from None


def evaluate_extraction(
    pages: Sequence[tuple[LabelledPage, bytes]], retrieved_at: datetime, clock: Callable[[], float]
) -> ExtractionQuality:
    """Reads the content of every page and compares it with its label. `clock` gives seconds."""
    started = clock()
    found = [_read(page, content, retrieved_at) for page, content in pages]
    seconds = clock() - started
    results = [_compare(page, one) for (page, _), one in zip(pages, found, strict=True)]
    wanted = sum(len(page.text) for page, _ in pages)
    right = wanted - sum(len(one.missing) for one in results)
    noise = sum(len(one.noise) for one in results)
    dated = sum(page.published is not None for page, _ in pages)
    given = [one for one in results if one.published is not None]
    right_dates = sum(one.is_date_right for one in given)
    return ExtractionQuality(
        pages=len(pages),
        text_precision=share(right, right + noise),
        text_recall=share(right, wanted),
        text_f1=share(2 * right, right + noise + wanted),
        dated_pages=dated,
        dates_given=len(given),
        date_precision=share(right_dates, len(given)),
        date_recall=share(right_dates, dated),
        milliseconds=round(seconds * 1_000 / max(len(pages), 1), 1),
        faults=[one for one in results if one.missing or one.noise or not one.is_date_right],
    )


def _read(page: LabelledPage, content: bytes, retrieved_at: datetime) -> Page | None:
    try:
        return extract(content, page.url, retrieved_at, own_url=page.file)
    except PageUnavailable:
        return None


def _compare(page: LabelledPage, found: Page | None) -> PageResult:
    text = " ".join(found.text.split()) if found else ""
    published = found.published.moment.date() if found and found.published else None
    return PageResult(
        file=page.file,
        missing=[passage for passage in page.text if passage not in text],
        noise=[passage for passage in page.noise if passage in text],
        published=published,
        is_date_right=_is_same_day(page.published, published),
    )


def _is_same_day(expected: date | None, found: date | None) -> bool:
    if expected is None or found is None:
        return expected is found
    return abs((expected - found).days) <= _ONE_DAY
