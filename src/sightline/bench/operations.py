"""What is measured. One row more is one entry in OPERATIONS."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle

from sightline.bench.wire import API, FRESH_ID, Request
from sightline.bench.world import STATUSES, World

PAGE = 20
FEED_PAGE = 100
DEEP = 50_000
CHANGED = 100


@dataclass(frozen=True, slots=True)
class Operation:
    """`requests` are sent in turn; `first_aim` and `aim` are ratios to reach and to aim at.

    The requests of a writing operation can be sent again and again. `is_quick`: measured also when time is short.
    """

    name: str
    requests: Callable[[World], list[Request]]
    first_aim: float
    aim: float
    is_quick: bool = True


def _get_idea(world: World) -> list[Request]:
    return [Request("GET", f"{API}/ideas/{idea}") for idea in world.ideas]


def _list_ideas(world: World) -> list[Request]:
    return [Request("GET", f"{API}/ideas?limit={PAGE}")] * 50


def _list_ideas_filtered(world: World) -> list[Request]:
    return [Request("GET", f"{API}/ideas?limit={PAGE}&sourceKey={source}") for source in world.sources]


def _list_ideas_classified(world: World) -> list[Request]:
    return [Request("GET", f"{API}/ideas?limit={PAGE}&include=classifications")] * 50


def _list_ideas_deep(world: World) -> list[Request]:
    """At 50,000, or in the middle of a smaller workspace."""
    return [Request("GET", f"{API}/ideas?limit={PAGE}&offset={min(DEEP, world.size // 2)}")] * 50


def _create_idea(world: World) -> list[Request]:
    return _new_ideas(world)


def _create_idea_matched(world: World) -> list[Request]:
    """With a product, whose 30 features the description is matched to."""
    return _new_ideas(world, productId=str(world.product))


def _new_ideas(world: World, **more: str) -> list[Request]:
    wishes = [{"name": name, "description": description, **more} for name, description in world.texts]
    return [Request("POST", f"{API}/ideas", json.dumps(wish).encode()) for wish in wishes]


def _patch_idea(world: World) -> list[Request]:
    """Each idea is called one thing and another in turn, so that every request changes something."""
    return [
        _patch(f"ideas/{idea}", {"name": f"{name} {turn}"})
        for turn in ("at first", "after all")
        for idea, (name, _) in zip(world.ideas[:CHANGED], cycle(world.texts), strict=False)
    ]


def _set_idea_status(world: World) -> list[Request]:
    return [
        _patch(f"ideas/{idea}/status", {"status": status}) for status in STATUSES[1:3] for idea in world.ideas[:CHANGED]
    ]


def _list_initiatives(world: World) -> list[Request]:
    return [Request("GET", f"{API}/initiatives?limit={PAGE}")] * 50


def _patch_initiative(world: World) -> list[Request]:
    """As with ideas."""
    return [
        _patch(f"initiatives/{initiative}", {"name": f"{name} {turn}"})
        for turn in ("at first", "after all")
        for initiative, (name, _) in zip(world.initiatives[:CHANGED], cycle(world.texts), strict=False)
    ]


def _create_initiative(world: World) -> list[Request]:
    """Each time under a request id of its own: the same again would create nothing."""
    fixed = {"clientRequestId": FRESH_ID, "productId": str(world.product), "teamIds": [str(world.teams[0])]}
    wishes = [{"name": name, "description": description, **fixed} for name, description in world.texts]
    return [Request("POST", f"{API}/initiatives", json.dumps(wish).encode()) for wish in wishes]


def _signals(query: str) -> list[Request]:
    return [Request("GET", f"{API}/signals?limit={FEED_PAGE}{query}")] * 50


def _feedback(query: str) -> list[Request]:
    return [Request("GET", f"{API}/studies/feedback?limit={FEED_PAGE}{query}")] * 50


def _list_signals_of_account(world: World) -> list[Request]:
    return [Request("GET", f"{API}/signals?limit={FEED_PAGE}&accountId={one}") for one in world.feeds.accounts[:50]]


FEEDS: tuple[Operation, ...] = (
    Operation("list_signals", lambda _: _signals(""), 0.58, 0.70),
    Operation("list_study_feedback", lambda _: _feedback(""), 0.58, 0.70),
    *(
        Operation(name, requests, 0.58, 0.70, is_quick=False)
        for name, requests in (
            ("list_signals_filtered", lambda _: _signals("&status=failed&sourceType=helpdesk")),
            ("list_signals_of_account", _list_signals_of_account),
            ("list_signals_changed", lambda _: _signals("&updatedSince=2024-01-01")),
            ("list_signals_deep", lambda world: _signals(f"&offset={world.feeds.deep}")),
            ("list_signals_after", lambda world: _signals(f"&after={world.feeds.signals_deep}")),
            ("list_study_feedback_filtered", lambda _: _feedback("&metric=effort&submittedFrom=2024-01-02")),
            ("list_study_feedback_deep", lambda world: _feedback(f"&offset={world.feeds.deep}")),
            ("list_study_feedback_after", lambda world: _feedback(f"&after={world.feeds.feedback_deep}")),
        )
    ),
)


def _patch(path: str, wish: dict[str, str]) -> Request:
    return Request("PATCH", f"{API}/{path}", json.dumps(wish).encode())


# Those that write come last: the others find the workspace as it was loaded.
OPERATIONS: tuple[Operation, ...] = (
    Operation("get_idea", _get_idea, 0.60, 0.75),
    Operation("list_ideas", _list_ideas, 0.58, 0.70),
    Operation("list_ideas_filtered", _list_ideas_filtered, 0.58, 0.70),
    Operation("list_ideas_classified", _list_ideas_classified, 0.58, 0.70),
    Operation("list_ideas_deep", _list_ideas_deep, 0.58, 0.70),
    Operation("list_initiatives", _list_initiatives, 0.58, 0.70),
    *FEEDS,
    Operation("patch_idea", _patch_idea, 0.65, 0.70),
    Operation("set_idea_status", _set_idea_status, 0.65, 0.70),
    Operation("create_idea", _create_idea, 0.65, 0.70),
    Operation("create_idea_matched", _create_idea_matched, 0.65, 0.70),
    Operation("patch_initiative", _patch_initiative, 0.65, 0.70),
    Operation("create_initiative", _create_initiative, 0.65, 0.70),
)
