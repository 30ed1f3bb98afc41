"""What is measured: the requests of each operation, and the values with which `limits` runs their statements."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from benchmarks.world import STATUSES, World
from sightline.ideas.records import IdeaFilters
from sightline.initiatives.records import InitiativeFilters
from sightline.platform.db import Window
from sightline.platform.http.cursors import write_cursor
from sightline.signals.records import SignalFilters
from sightline.studies.records import FeedbackFilters

API = "/api/external/v1"
FRESH_ID = "00000000-0000-7000-8000-00000000f3e5"  # in a request: another id each time it is sent
IDEAS, FEED = 20, 100  # records of a page
CHANGED = 100
FEED_PAGE = Window(FEED)
FIRST_DAY, SECOND_DAY = datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 2, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str  # with the query
    body: bytes = b""

    def to_bytes(self, key: str) -> bytes:
        """As a usual client sends it."""
        lines = [f"{self.method} {self.path} HTTP/1.1", "host: 127.0.0.1", "accept: application/json"]
        lines += ["user-agent: benchmark", f"authorization: Bearer {key}"]
        if self.body:
            lines += ["content-type: application/json", f"content-length: {len(self.body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


class Ask(NamedTuple):
    """One request, and the same for its statements."""

    request: Request
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """`asks` are sent in turn, again and again; `aims` are ratios to reach first and then.

    `is_quick`: measured also when time is short.
    """

    name: str
    asks: Callable[[World], list[Ask]]
    aims: tuple[float, float] = (0.58, 0.70)
    is_quick: bool = True


def _get(path: str, **values: Any) -> Ask:
    return Ask(Request("GET", f"{API}/{path}"), values)


def _send(method: str, path: str, body: dict[str, Any], **values: Any) -> Ask:
    return Ask(Request(method, f"{API}/{path}", json.dumps(body).encode()), values)


def _get_idea(world: World) -> list[Ask]:
    return [_get(f"ideas/{idea}", idea=idea) for idea in world.ideas]


def _ideas(query: str = "", offset: int = 0, **filters: Any) -> Ask:
    path = f"ideas?limit={IDEAS}{query}" + (f"&offset={offset}" if offset else "")
    return _get(path, filters=IdeaFilters(**filters), window=Window(IDEAS, offset))


def _list_ideas_filtered(world: World) -> list[Ask]:
    return [_ideas(f"&sourceKey={source}", source_key=source) for source in world.sources]


def _list_ideas_deep(world: World) -> list[Ask]:
    """At 50,000, or in the middle of a smaller workspace."""
    return [_ideas(offset=min(50_000, world.size // 2))]


def _list_initiatives(_: World) -> list[Ask]:
    return [_get(f"initiatives?limit={IDEAS}", filters=InitiativeFilters(), window=Window(IDEAS))]


def _signals(query: str = "", window: Window = FEED_PAGE, **filters: Any) -> Ask:
    return _get(f"signals?limit={FEED}{query}", filters=SignalFilters(**filters), window=window)


def _list_signals_of_account(world: World) -> list[Ask]:
    return [_signals(f"&accountId={one}", account_id=(one,)) for one in world.accounts[:50]]


def _list_signals_changed(_: World) -> list[Ask]:
    return [_signals("&updatedSince=2024-01-01", updated_since=FIRST_DAY)]


def _list_signals_after(world: World) -> list[Ask]:
    assert world.late_signal is not None  # noqa: S101 - load() has found it
    return [_signals(f"&after={write_cursor(world.late_signal)}", Window(FEED, after=world.late_signal))]


def _feedback(query: str = "", window: Window = FEED_PAGE, **filters: Any) -> Ask:
    return _get(f"studies/feedback?limit={FEED}{query}", filters=FeedbackFilters(**filters), window=window)


def _list_feedback_after(world: World) -> list[Ask]:
    assert world.late_rating is not None  # noqa: S101 - load() has found it
    return [_feedback(f"&after={write_cursor(world.late_rating)}", Window(FEED, after=world.late_rating))]


def _patch_idea(world: World) -> list[Ask]:
    """Another name each time."""
    return [
        _send("PATCH", f"ideas/{idea}", {"name": f"Renamed {FRESH_ID}"}, idea=idea) for idea in world.ideas[:CHANGED]
    ]


def _set_idea_status(world: World) -> list[Ask]:
    """One label and another in turn, so that every request moves an idea."""
    return [
        _send("PATCH", f"ideas/{idea}/status", {"status": status}, idea=idea, status=status)
        for status in STATUSES[1:3]
        for idea in world.ideas[:CHANGED]
    ]


def _create_idea(world: World) -> list[Ask]:
    return [
        _send("POST", "ideas", {"name": text.name, "description": text.description}, text=text) for text in world.texts
    ]


def _create_idea_matched(world: World) -> list[Ask]:
    """With a product, whose 30 features the description is matched with."""
    product = {"productId": str(world.product)}
    return [
        _send("POST", "ideas", {"name": text.name, "description": text.description, **product}, text=text)
        for text in world.texts
    ]


def _patch_initiative(world: World) -> list[Ask]:
    return [
        _send("PATCH", f"initiatives/{one}", {"name": f"Renamed {FRESH_ID}"}, initiative=one)
        for one in world.initiatives[:CHANGED]
    ]


def _create_initiative(world: World) -> list[Ask]:
    """Each time under a request id of its own: the same again would create nothing."""
    fixed = {"clientRequestId": FRESH_ID, "productId": str(world.product), "teamIds": [str(world.teams[0])]}
    return [
        _send("POST", "initiatives", {"name": text.name, "description": text.description, **fixed}, text=text)
        for text in world.texts
    ]


_WRITE = (0.65, 0.70)

# Those that write come last: the others find the workspace as it was loaded.
OPERATIONS = (
    Operation("get_idea", _get_idea, (0.60, 0.75)),
    Operation("list_ideas", lambda _: [_ideas()]),
    Operation("list_ideas_filtered", _list_ideas_filtered),
    Operation("list_ideas_classified", lambda _: [_ideas("&include=classifications")]),
    Operation("list_ideas_deep", _list_ideas_deep),
    Operation("list_initiatives", _list_initiatives),
    Operation("list_signals", lambda _: [_signals()]),
    Operation("list_study_feedback", lambda _: [_feedback()]),
    Operation(
        "list_signals_filtered",
        lambda _: [_signals("&status=failed&sourceType=helpdesk", status=("failed",), source_type=("helpdesk",))],
        is_quick=False,
    ),
    Operation("list_signals_of_account", _list_signals_of_account, is_quick=False),
    Operation("list_signals_changed", _list_signals_changed, is_quick=False),
    Operation(
        "list_signals_deep",
        lambda world: [_signals(f"&offset={world.late}", Window(FEED, world.late))],
        is_quick=False,
    ),
    Operation("list_signals_after", _list_signals_after, is_quick=False),
    Operation(
        "list_study_feedback_filtered",
        lambda _: [_feedback("&metric=effort&submittedFrom=2024-01-02", metric="effort", submitted_from=SECOND_DAY)],
        is_quick=False,
    ),
    Operation(
        "list_study_feedback_deep",
        lambda world: [_feedback(f"&offset={world.late}", Window(FEED, world.late))],
        is_quick=False,
    ),
    Operation("list_study_feedback_after", _list_feedback_after, is_quick=False),
    Operation("patch_idea", _patch_idea, _WRITE),
    Operation("set_idea_status", _set_idea_status, _WRITE),
    Operation("create_idea", _create_idea, _WRITE),
    Operation("create_idea_matched", _create_idea_matched, _WRITE),
    Operation("patch_initiative", _patch_initiative, _WRITE),
    Operation("create_initiative", _create_initiative, _WRITE),
)
