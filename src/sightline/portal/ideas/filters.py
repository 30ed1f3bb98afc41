"""The filters of the list of ideas, as the address of the page has them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from markupsafe import escape
from msgspec import Struct, json
from starlette.datastructures import QueryParams

from sightline.catalog.portal_labels import shown_label
from sightline.platform.db import Tx, sql
from sightline.portal.ideas.search import words_of

PAGE = 20
_LONGEST_SEARCH = 200
_LAST_PAGE = 10_000
_MOST_STATUSES = 100
_MOST_OPTIONS = 300  # of a page that is kept
_MOST_KEPT = 32 * 1024  # bytes of choices, or characters of a page
_GROUP = "f."  # before the key of a group
_VOTES = "ideas.total DESC, ideas.number DESC"
SORTS = {
    "fit": f"ts_rank(ideas.search, to_tsquery('simple', :words)) DESC, {_VOTES}",
    "votes": _VOTES,
    "trending": f"""
        (SELECT count(*) FROM portal_votes
          WHERE workspace_id = :workspace_id AND idea_id = ideas.id AND created_at > :recent) DESC, {_VOTES}""",
    "newest": "ideas.created_at DESC, ideas.number DESC",
}


class Option(NamedTuple):
    """One value of a filter: its key in the address, its label, and the statuses of the workflow that it shows."""

    value: str
    label: str
    statuses: tuple[str, ...] = ()


class Facet(NamedTuple):
    """A filter with its options: `status`, `product`, or a group of the taxonomy (`group_id`)."""

    name: str
    label: str | None
    options: tuple[Option, ...]
    group_id: UUID | None = None

    def find(self, value: str) -> Option | None:
        return next((option for option in self.options if option.value == value), None)


@dataclass(frozen=True, slots=True)
class Filters:
    """`chosen` holds one option by the name of its facet. `sort` is empty where none is chosen."""

    q: str
    sort: str
    page: int
    chosen: dict[str, Option] = field(hash=False)

    @property
    def order(self) -> str:
        """The order that is shown: with words, the best fit first; else most votes first."""
        return self.sort or ("fit" if self.q and words_of(self.q) else "votes")

    def query(self, **others: str | int) -> str:
        """Returns these filters, changed by `others`, as a query string without the values that are the default."""
        usual: dict[str, str | int] = {"page": 1}
        values: dict[str, str | int] = {
            "q": self.q,
            **{name: option.value for name, option in self.chosen.items()},
            "sort": self.sort,
        }
        values |= {"page": self.page} | others
        shown = urlencode({name: value for name, value in values.items() if value != usual.get(name, "")})
        return f"?{shown}" if shown else ""

    def without(self, name: str) -> "Filters":
        return replace(self, page=1, chosen={other: one for other, one in self.chosen.items() if other != name})

    @property
    def narrows(self) -> bool:
        return bool(self.q or self.chosen)


def names_option(query: QueryParams) -> bool:
    """Whether the address chooses an option of a facet, known or not."""
    return any(value and (name in ("status", "product") or name.startswith(_GROUP)) for name, value in query.items())


def is_usual(facets: tuple[Facet, ...], intro: str) -> bool:
    """Whether the page around the ideas is small enough to be kept: 300 options, and 32 KiB with the introduction.

    What is counted here keeps large facets from being keys of the cache of `_is_small`, which counts exactly.
    """
    options = [option for facet in facets for option in facet.options]
    characters = sum(len(option.value) + len(option.label) for option in options)
    return len(options) <= _MOST_OPTIONS and characters <= _MOST_KEPT and _is_small(facets, intro)


@lru_cache(maxsize=100)
def _is_small(facets: tuple[Facet, ...], intro: str) -> bool:
    """Counts the texts as the page has them: escaped, a character may become five."""
    options = [option for facet in facets for option in facet.options]
    texts = [text for option in options for text in (option.value, option.label)] + [
        facet.label or "" for facet in facets
    ]
    return sum(len(escape(text)) for text in (*texts, intro)) <= _MOST_KEPT


def reads_all(query: QueryParams) -> bool:
    """Whether a list without words looks at all ideas: no index has its order, or leaves out what it does not show."""
    return names_option(query) or query.get("sort") == "trending"


def read_filters(query: QueryParams, facets: Sequence[Facet]) -> Filters:
    """Reads the filters from the address; ignores unknown ones."""
    chosen = {facet.name: option for facet in facets if (option := facet.find(query.get(facet.name, "")))}
    sort = query.get("sort", "")
    return Filters(read_search(query), sort if sort in SORTS and sort != "fit" else "", read_page(query), chosen)


def read_search(query: QueryParams) -> str:
    """Returns the text that is searched for; empty if there is none."""
    return " ".join(query.get("q", "").replace("\0", "").split())[:_LONGEST_SEARCH]


def read_page(query: QueryParams) -> int:
    """Returns the number of the page that the address names; 1 if it names none."""
    page = query.get("page", "")
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 6 else 1
    return min(max(number, 1), _LAST_PAGE)


# What the visitors of a workspace's portal can choose, as JSON.
CHOICES = """
    json_build_object(
        'statuses', (SELECT json_agg(listed) FROM (
            SELECT label, portal::text AS settings FROM idea_statuses
             WHERE workspace_id = :workspace_id ORDER BY position, label LIMIT 1000) AS listed),
        'products', (SELECT json_agg(listed) FROM (
            SELECT id::text, name FROM products
             WHERE workspace_id = :workspace_id
               AND EXISTS (SELECT FROM ideas
                            WHERE workspace_id = :workspace_id AND product_id = products.id AND portal_visible)
             ORDER BY name, id LIMIT 100) AS listed),
        'options', (SELECT json_agg(listed) FROM (
            SELECT g.id AS group_id, g.key AS group_key, g.label AS group_label, o.key, o.label
              FROM portals p
              JOIN taxonomy_groups g ON g.workspace_id = :workspace_id AND g.key = ANY(p.facets)
             CROSS JOIN LATERAL (SELECT key, label, position FROM taxonomy_options
                                  WHERE workspace_id = :workspace_id AND group_id = g.id AND is_active
                                  ORDER BY position, key LIMIT 100) o
             WHERE p.workspace_id = :workspace_id AND g.kind = 'list' AND g.is_active
             ORDER BY array_position(p.facets, g.key), o.position, o.key) AS listed))"""
_FIND_CHOICES = sql("SELECT {choices} AS choices", choices=CHOICES)


class _Status(Struct):
    label: str
    settings: str | None


class _Product(Struct):
    id: str
    name: str


class _GroupOption(Struct):
    group_id: UUID
    group_key: str
    group_label: str
    key: str
    label: str


class _Choices(Struct):
    """The JSON of CHOICES."""

    statuses: list[_Status] | None
    products: list[_Product] | None
    options: list[_GroupOption] | None


async def find_facets(tx: Tx, workspace_id: UUID) -> tuple[Facet, ...]:
    """Returns what the visitors of the workspace's portal can filter by."""
    choices = await tx.value(_FIND_CHOICES, workspace_id=workspace_id)
    return read_facets(bytes(choices))


def read_facets(choices: bytes) -> tuple[Facet, ...]:
    """Reads CHOICES. Keeps what is read of usual ones, which are the same for most pages."""
    return _read_usual(choices) if len(choices) <= _MOST_KEPT else _read(choices)


def _read(choices: bytes) -> tuple[Facet, ...]:
    """Returns the statuses, the products with visible ideas, and the groups that the portal exposes, from CHOICES.

    Of statuses and products there are two or more, or none. Each facet has its first 100 options, statuses those of the
    first 1,000 labels.
    """
    read = json.decode(choices, type=_Choices)
    labels: dict[str, list[str]] = {}
    for status in read.statuses or ():
        if shown := shown_label(status.label, status.settings):
            labels.setdefault(shown.name, []).append(status.label)
    statuses = tuple(Option(name, name, tuple(each)) for name, each in islice(labels.items(), _MOST_STATUSES))
    products = tuple(Option(product.id, product.name) for product in read.products or ())
    groups: dict[str, list[_GroupOption]] = {}
    for option in read.options or ():
        groups.setdefault(option.group_key, []).append(option)
    facets = (Facet("status", None, statuses), Facet("product", None, products))
    return (*(facet for facet in facets if len(facet.options) > 1), *(_of_group(*each) for each in groups.items()))


def _of_group(key: str, options: list[_GroupOption]) -> Facet:
    found = tuple(Option(option.key, option.label) for option in options)
    return Facet(f"{_GROUP}{key}", options[0].group_label, found, options[0].group_id)


_read_usual = lru_cache(maxsize=100)(_read)
