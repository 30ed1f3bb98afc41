"""The workspace of a comparison, as a file that every commit loads by its own means.

All its records have ids, so that the same requests can be sent to each commit.
"""

import random
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Any
from uuid import UUID

from benchmarks.world import IDEAS, LATEST_IDEAS, NEW_TEXTS, NewText, World, new_ids, sample_features, sample_texts
from sightline.platform.db import Position
from sightline.signals.queries import NEWEST
from sightline.studies.queries import SUBMITTED

SLUG = "bench"
VISIBLE = 1_000  # ideas in the portal
_FIRST = datetime(2024, 1, 1, tzinfo=UTC)


def compose_workspace(size: int) -> tuple[World, dict[str, Any]]:
    """Returns a workspace of so many ideas, signals and ratings, and its workspace file."""
    texts, features = sample_texts(), sample_features()
    world = World(size, initiative_ids=new_ids(max(50, size // 100)))
    ideas, signals, ratings = new_ids(size), new_ids(size), new_ids(size)
    file = _catalog(world, features) | {
        "initiatives": [
            {"id": id, "name": name, "product": world.product_id, "teams": world.team_ids[:2]}
            for id, (name, _) in zip(world.initiative_ids, cycle(texts), strict=False)
        ],
        "ideas": [_idea(world, place, id, texts[place % len(texts)]) for place, id in enumerate(ideas)],
        "signals": [_signal(world, place, id) for place, id in enumerate(signals)],
        "feedback": [_rating(world, place, id) for place, id in enumerate(ratings)],
    }
    world.idea_ids = random.Random(size).sample(ideas, min(IDEAS, size))  # noqa: S311 - any will do
    world.texts = [NewText(name, description) for name, description in texts[:NEW_TEXTS]]
    place = size - world.late
    world.late_idea = Position(LATEST_IDEAS, _moment(place), place + 1)
    world.late_signal = Position(NEWEST.name, _moment(place), place + 1)
    world.late_rating = Position(SUBMITTED.name, _moment(world.late), ratings[world.late])
    return world, file


def _catalog(world: World, features: list[dict[str, Any]]) -> dict[str, Any]:
    described = [
        {"id": id, "name": feature["name"], "description": feature["description"]}
        for id, feature in zip(world.feature_ids, cycle(features), strict=False)
    ]
    return {
        "workspace": {"id": world.workspace_id, "slug": SLUG, "name": "Bench"},
        "members": [{"email": world.owner, "name": "Owner", "role": "owner"}],
        "ideaStatuses": [{"label": label} for label in world.statuses],
        "products": [{"id": world.product_id, "name": "Bench", "features": described}],
        "teams": [{"id": id, "name": f"Team {place}"} for place, id in enumerate(world.team_ids)],
        "accounts": [
            {"id": id, "name": f"Account {place}", "externalId": f"crm-{place}"}
            for place, id in enumerate(world.account_ids)
        ],
        "studies": [{"id": id, "name": f"Study {place}"} for place, id in enumerate(world.study_ids)],
        "taxonomy": {
            "groups": [
                {"key": "theme", "label": "Theme", "options": [{"key": f"o{place}"} for place in range(10)]},
                {"key": "why", "label": "Why", "kind": "text"},
            ]
        },
        "portal": {"alias": SLUG},
    }


def _idea(world: World, place: int, id: UUID, text: tuple[str, str]) -> dict[str, Any]:
    """None to three features each; the first belong to initiatives; every second one is imported."""
    first = place % (len(world.feature_ids) - 3)
    idea = _record(place, id) | {
        "name": text[0],
        "description": text[1],
        "status": world.statuses[place % len(world.statuses)],
        "product": world.product_id,
        "features": world.feature_ids[first : first + place % 4],
        "portalVisible": place < VISIBLE,
    }
    if place < 5 * len(world.initiative_ids):
        idea["initiative"] = world.initiative_ids[place % len(world.initiative_ids)]
    if place % 2:
        source = world.sources[place // 2 % len(world.sources)]
        return idea | {"sourceKey": source, "externalId": f"item-{place}"}
    return idea | {"classifications": [{"groupKey": "theme", "optionValues": [f"o{place % 10}"]}]}


def _signal(world: World, place: int, id: UUID) -> dict[str, Any]:
    """Half of all come from one helpdesk, a tenth failed."""
    return _record(place, id) | {
        "name": f"Notes of call {place}",
        "status": "failed" if place % 10 == 0 else "processed",
        "signalType": "support_ticket",
        "evidenceKind": "support",
        "providerType": ("helpdesk", "calls", "helpdesk", "store")[place % 4],
        "externalId": f"ticket-{place}",
        "sourceLabel": "Helpdesk",
        "sourceLinks": [{"name": "Ticket", "url": "https://helpdesk.test/1", "type": "ticket", "primary": True}],
        "data": {"priority": 2, "tags": ["export"]},
        "account": world.account_ids[place % len(world.account_ids)],
    }


def _rating(world: World, place: int, id: UUID) -> dict[str, Any]:
    return {
        "id": id,
        "study": world.study_ids[place % len(world.study_ids)],
        "rating": place % 11,
        "metric": ("satisfaction", "effort")[place % 2],
        "subject": {"type": "product", "id": world.product_id},
        "comment": "It saves us a walk to the desk each time.",
        "submittedAt": _moment(place).isoformat(),
        "account": world.account_ids[place % len(world.account_ids)],
    }


def _record(place: int, id: UUID) -> dict[str, Any]:
    moment = _moment(place).isoformat()
    return {"id": id, "number": place + 1, "createdAt": moment, "updatedAt": moment}


def _moment(place: int) -> datetime:
    return _FIRST + timedelta(minutes=place)
