"""The filters of the list of ideas, as the address of the page has them."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode
from uuid import UUID

from starlette.datastructures import QueryParams

from sightline.catalog.portal_labels import shown_label
from sightline.platform.db import Tx, sql
from sightline.portal.ideas.search import words_of
from sightline.portal.portals.records import Portal

PAGE = 20
_LONGEST_SEARCH = 200
_LAST_PAGE = 10_000
_VOTES = "ideas.total DESC, ideas.number DESC"
SORTS = {
    "fit": f"ts_rank(ideas.search, to_tsquery('simple', :words)) DESC, {_VOTES}",
    "votes": _VOTES,
    "trending": f"""
        (SELECT count(*) FROM portal_votes
          WHERE workspace_id = :workspace_id AND idea_id = ideas.id AND created_at > :recent) DESC, {_VOTES}""",
    "newest": "ideas.created_at DESC, ideas.number DESC",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a filter: its key in the address, its label, and the statuses of the workflow that it shows."""

    value: str
    label: str
    statuses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter with its options: `status`, `product`, or a group of the taxonomy (`group_id`)."""

    name: str
    label: str | None
    options: dict[str, Option]
    group_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """`chosen` holds one option by the name of its facet. `sort` is empty where none is chosen."""

    q: str
    sort: str
    page: int
    chosen: dict[str, Option]

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


def read_filters(query: QueryParams, facets: list[Facet]) -> Filters:
    """Reads the filters from the address; ignores unknown ones."""
    chosen = {
        facet.name: facet.options[value] for facet in facets if (value := query.get(facet.name, "")) in facet.options
    }
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


_PRODUCTS_AND_STATUSES = sql("""
    (SELECT 'product' AS facet, id::text AS value, name AS label, NULL AS settings, 0 AS place FROM products
      WHERE workspace_id = :workspace_id
        AND EXISTS (SELECT FROM ideas
                     WHERE workspace_id = :workspace_id AND product_id = products.id AND portal_visible)
      ORDER BY name, id LIMIT 100)
    UNION ALL
    SELECT 'status', label, label, portal::text, position FROM idea_statuses WHERE workspace_id = :workspace_id
    ORDER BY facet DESC, place, label, value""")
_GROUPS = sql("""
    SELECT g.id, g.key, g.label, o.key AS option_key, o.label AS option_label
      FROM taxonomy_groups g
     CROSS JOIN LATERAL (SELECT key, label, position FROM taxonomy_options
                          WHERE workspace_id = :workspace_id AND group_id = g.id AND is_active
                          ORDER BY position, key LIMIT 100) o
     WHERE g.workspace_id = :workspace_id AND g.key = ANY(:keys) AND g.kind = 'list' AND g.is_active
     ORDER BY array_position(:keys, g.key), o.position, o.key""")


async def find_facets(tx: Tx, portal: Portal) -> list[Facet]:
    """Returns the statuses, the products with visible ideas, and the groups that the portal exposes.

    Of statuses and products there are two or more, or none. Products and groups have their first 100 options.
    """
    statuses: dict[str, Option] = {}
    products: dict[str, Option] = {}
    for row in await tx.rows(_PRODUCTS_AND_STATUSES, workspace_id=portal.workspace_id):
        if row["facet"] == "product":
            products[row["value"]] = Option(row["value"], row["label"])
        elif shown := shown_label(row["label"], row["settings"]):
            before = statuses[shown.name].statuses if shown.name in statuses else ()
            statuses[shown.name] = Option(shown.name, shown.name, (*before, row["label"]))
    facets = (Facet("status", None, statuses), Facet("product", None, products))
    found = [facet for facet in facets if len(facet.options) > 1]
    if portal.facets:
        by_group: dict[str, Facet] = {}
        for row in await tx.rows(_GROUPS, workspace_id=portal.workspace_id, keys=portal.facets):
            facet = by_group.setdefault(row["key"], Facet(f"f.{row['key']}", row["label"], {}, row["id"]))
            facet.options[row["option_key"]] = Option(row["option_key"], row["option_label"])
        found += by_group.values()
    return found
