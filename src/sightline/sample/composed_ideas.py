"""Composed ideas and ratings of studies."""

from collections import defaultdict
from datetime import datetime, timedelta

from sightline.sample.composed_evidence import Evidence, Lesson, Record, iso, moment
from sightline.sample.dice import Deck, Dice
from sightline.sample.phrases import NUMBERS, IdeaTemplate, fill, phrases

REVIEWS = (("unreviewed", "suggested"), ("accepted", "suggested"), ("accepted", "manual"))
METRICS = ("usefulness", "ease", "satisfaction")
OPEN = ("PENDING", "UNPLANNED", "PLANNED", "IN_PROGRESS")
SHOWN = 60  # ideas on the portal, each another one
MOST_VOTES = 30


def compose_ideas(dice: Dice, workspace: Record, evidence: Evidence, count: int) -> list[Record]:
    """Returns `count` ideas, based on the composed insights about their feature."""
    if not count:
        return []
    words = phrases()
    templates = [template for template in words.idea_templates if template.feature in evidence.product_of]
    names = ("audiences", "limits", "beginnings", "reasons")
    deck = Deck(dice, len(templates), *(len(words.parts[name]) for name in names), NUMBERS)
    places = _Places(workspace, evidence)
    records = []
    shown = sum(idea.get("portalVisible", False) for idea in workspace.get("ideas", []))
    first: set[int] = set()
    for place in range(count):
        which, *dealt = deck.deal()
        record = _idea(dice, places, (templates[which], dealt), (place, count))
        if which not in first and shown + len(first) < SHOWN:
            first.add(which)
            votes = dice.early(range(MOST_VOTES))
            record |= {"name": templates[which].name, "portalVisible": True, "importedVoteCount": votes}
        records.append(record)
    return records


class _Places:
    """The records of the workspace that a composed idea may name."""

    def __init__(self, workspace: Record, evidence: Evidence) -> None:
        self.evidence = evidence
        self.feature_names = {
            feature["key"]: feature["name"].lower()
            for product in workspace["products"]
            for feature in product["features"]
        }
        self.statuses = [one["label"] for one in workspace["ideaStatuses"] if not one.get("promotion")]
        self.opportunities = {one["key"] for one in workspace.get("opportunities", [])}
        groups = workspace.get("taxonomy", {}).get("groups", [])
        self.groups = [group for group in groups if group["kind"] == "list"]
        self.authors = [one["key"] for one in workspace["members"] if one["role"] != "viewer"]
        self.initiatives: dict[str, list[str]] = defaultdict(list)
        for initiative in workspace.get("initiatives", []):
            for feature in initiative["features"] if initiative["status"] in OPEN else []:
                self.initiatives[feature].append(initiative["key"])

    def belonging(self, feature: str, place: int) -> str:
        """Returns a sentence that names the feature."""
        sentences = phrases().parts["belongings"]
        return sentences[place % len(sentences)].format(feature=self.feature_names[feature])


def _idea(dice: Dice, places: _Places, dealt: tuple[IdeaTemplate, list[int]], at: tuple[int, int]) -> Record:
    template, (audience, limit, beginning, reason, number) = dealt
    parts = phrases().parts
    product = places.evidence.product_of[template.feature]
    lessons = dice.some(places.evidence.lessons[template.feature], dice.below(4))
    start = max((lesson.at for lesson in lessons), default=moment(dice, *at))
    created = start + timedelta(hours=dice.below(70), minutes=dice.below(60))
    key = f"idea-{at[0] + 1:06d}"
    initiatives = places.initiatives.get(template.feature, []) if dice.chance(0.4) else []
    return {
        "key": key,
        "name": f"{template.name} {parts['audiences'][audience]}",
        "description": f"{template.text} Meant {parts['audiences'][audience]}. {parts['limits'][limit]} "
        f"{parts['beginnings'][beginning]} {fill(parts['reasons'][reason], number)} "
        f"{places.belonging(template.feature, at[0])}",
        "status": dice.early(places.statuses),
        "product": product,
        "features": [template.feature],
        "featureOwnership": "automatic",
        "initiative": dice.pick(initiatives) if initiatives else None,
        **_origin(dice, at[0] + 1),
        "opportunities": [template.opportunity] if template.opportunity in places.opportunities else [],
        "insights": [{"insight": one.insight, "validated": dice.chance(0.5)} for one in lessons],
        "accounts": _accounts(lessons),
        "portalVisible": False,
        "classifications": [_classified(dice, group, template) for group in places.groups],
        "questions": _questions(dice, key, created) if dice.chance(0.4) else [],
        "comments": _comments(dice, key, created, places.authors) if dice.chance(0.2) else [],
        "evidence": _evidence(key, created, lessons) if dice.chance(0.5) else [],
        "createdAt": iso(created),
        "updatedAt": iso(created + timedelta(hours=dice.below(900))),
    }


def _origin(dice: Dice, number: int) -> Record:
    if dice.chance(0.75):
        return {"createdSource": "app", "provenance": {"method": "manual"}}
    identity = {"sourceKey": "forum-archive", "externalId": f"post-{number}"}
    return {**identity, "createdSource": "api", "provenance": {"method": "api", **identity}}


def _accounts(lessons: list[Lesson]) -> list[str]:
    named = (quote.account for lesson in lessons for quote in lesson.quotes)
    return list(dict.fromkeys(account for account in named if account))


def _classified(dice: Dice, group: Record, template: IdeaTemplate) -> Record:
    keys = [option["key"] for option in group["options"]]
    chosen = template.theme if template.theme in keys else dice.pick(keys)
    state, origin = dice.pick(REVIEWS)
    return {"groupKey": group["key"], "optionValues": [chosen], "reviewState": state, "origin": origin}


def _questions(dice: Dice, key: str, created: datetime) -> list[Record]:
    chosen = dice.some(phrases().questions, 1 + dice.below(3))
    return [
        {
            "key": f"{key}-q{place}",
            **question,
            **_answer(dice, question),
            "createdAt": iso(created + timedelta(minutes=place)),
        }
        for place, question in enumerate(chosen, 1)
    ]


def _answer(dice: Dice, question: dict[str, str]) -> Record:
    status = dice.early(("pending", "answered", "skipped", "rejected"))
    return {"status": status, "answer": question["placeholder"] if status == "answered" else None}


def _comments(dice: Dice, key: str, created: datetime, authors: list[str]) -> list[Record]:
    return [
        {
            "key": f"{key}-c1",
            "author": dice.pick(authors),
            "body": dice.pick(phrases().parts["beginnings"]),
            "visibility": "internal",
            "createdAt": iso(created + timedelta(hours=dice.below(100))),
        }
    ]


def _evidence(key: str, created: datetime, lessons: list[Lesson]) -> list[Record]:
    quotes = [quote for lesson in lessons for quote in lesson.quotes]
    return [
        {
            "key": f"{key}-e1",
            "title": "In the customer's words",
            "description": "Linked while the idea was written.",
            "category": "problem",
            "extracts": [{"text": quote.text, "signal": quote.signal}],
            "signal": quote.signal,
            "role": "supports",
            "origin": "entity_creation",
            "createdAt": iso(created),
        }
        for quote in quotes[:1]
    ]


def compose_ratings(dice: Dice, workspace: Record, count: int) -> list[Record]:
    """Returns `count` ratings for the studies of the workspace, each about one of a study's ideas or initiatives."""
    studies = [one for one in workspace.get("studies", []) if one.get("ideas") and one.get("createdAt")]
    asked: dict[str, list[str | None]] = {one["key"]: [None] for one in studies}
    for known in workspace.get("feedback", []):
        asked.get(known["study"], []).append(known.get("account"))
    return [_rating(dice, dice.pick(studies), asked, place) for place in range(count)] if studies else []


def _rating(dice: Dice, study: Record, asked: dict[str, list[str | None]], place: int) -> Record:
    ideas = [{"type": "idea", "id": key} for key in study["ideas"]]
    initiatives = [{"type": "initiative", "id": key} for key in study.get("initiatives", [])]
    rating = 10 - dice.early(range(11))
    start, end = (datetime.fromisoformat(study[name]) for name in ("createdAt", "updatedAt"))
    submitted = iso(start + timedelta(seconds=dice.below(int((end - start).total_seconds()))))
    return {
        "key": f"rating-{place + 1:06d}",
        "study": study["key"],
        "rating": rating,
        "metric": dice.pick(METRICS),
        "subject": dice.pick([*ideas, *initiatives]),
        "comment": _remark(dice, rating) if dice.chance(0.8) else None,
        "source": dice.early(("study_completion", "live_interview")),
        "account": dice.pick(asked[study["key"]]),
        "submittedAt": submitted,
        "createdAt": submitted,
        "updatedAt": submitted,
    }


def _remark(dice: Dice, rating: int) -> str:
    remarks = phrases().remarks
    mood = "low" if rating < 5 else "middle" if rating < 8 else "high"
    return f"{dice.pick(remarks[mood])} {fill(dice.pick(remarks['ending']), dice.below(NUMBERS))}"
