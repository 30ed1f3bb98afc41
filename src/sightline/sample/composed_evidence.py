"""Composed signals and the insights that quote them."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sightline.sample.dice import Deck, Dice
from sightline.sample.phrases import NUMBERS, Trouble, fill, phrases

Record = dict[str, Any]

FIRST_DAY = datetime(2026, 1, 7, tzinfo=UTC)
DAYS = 302
LAST_MOMENT = datetime(2026, 11, 20, 18, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel of evidence, as values of the signals' fields."""

    provider: str
    label: str
    context: str
    signal_type: str | None
    processor: str
    kind: str
    profile: str = "customer_evidence"


CHANNELS = (
    Channel("helpdesk", "Support desk", "support", "support_ticket", "text", "support"),
    Channel("video_call", "Video call", "discovery", "transcript", "conversation", "conversation"),
    Channel("app_store", "App store review", "market", "review", "review", "review", "market_evidence"),
    Channel("survey", "Survey answer", "research", "feedback_record", "feedback", "feedback"),
    Channel("email", "E-mail", "success", None, "text", "note"),
)


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a signal on which an insight or an idea can rest."""

    signal: str
    text: str
    account: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Lesson:
    """The part of a composed insight that ideas need."""

    insight: str
    quotes: tuple[Quote, ...]
    at: datetime


@dataclass(slots=True)
class Evidence:
    """The features and customers of each product, and the evidence composed so far."""

    troubles: tuple[Trouble, ...]
    product_of: dict[str, str]
    accounts: dict[str, list[Record]]
    names: dict[str, str]
    quotes: dict[Trouble, list[Quote]] = field(default_factory=lambda: defaultdict(list))
    lessons: dict[str, list[Lesson]] = field(default_factory=lambda: defaultdict(list))


def iso(moment: datetime) -> str:
    return min(moment, LAST_MOMENT).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def moment(dice: Dice, place: int, count: int) -> datetime:
    """Returns a time of the year, in waking hours, for the record at this position."""
    day = FIRST_DAY + timedelta(days=DAYS * place // max(count, 1))
    return day + timedelta(hours=6, seconds=dice.below(13 * 3600))


def compose_signals(dice: Dice, evidence: Evidence, count: int) -> list[Record]:
    """Returns `count` signals. Notes their troubles in `evidence`, for insights to quote."""
    parts = phrases().parts
    lengths = [len(parts[name]) for name in ("consequences", "workarounds")]
    scenes = len(phrases().scenes["bench"])
    deck = Deck(dice, len(evidence.troubles), scenes, *lengths, NUMBERS) if count else None
    return [_signal(dice, evidence, deck.deal(), (place, count)) for place in range(count)] if deck else []


def _signal(dice: Dice, evidence: Evidence, dealt: tuple[int, ...], at: tuple[int, int]) -> Record:
    which, scene, consequence, workaround, number = dealt
    words = phrases()
    trouble = evidence.troubles[which]
    said = fill(trouble.said, number)
    story = [
        f"{words.scenes[evidence.product_of[trouble.feature]][scene]} {said}",
        words.parts["consequences"][consequence],
        words.parts["workarounds"][workaround],
    ]
    channel = dice.pick(CHANNELS)
    accounts = evidence.accounts[evidence.product_of[trouble.feature]]
    account = dice.pick(accounts) if accounts and channel.provider != "app_store" else None
    created = moment(dice, *at)
    key = f"signal-{at[0] + 1:06d}"
    evidence.quotes[trouble].append(Quote(key, said, account["key"] if account else None, created))
    record = _frame(channel, key, f"{account['name']}: {trouble.about.lower()}" if account else trouble.about)
    record |= _wording(dice, channel, account, story)
    if account:
        record |= {"account": account["key"], "accounts": [account["key"]]}
    updated = created + timedelta(hours=2 + dice.below(40))
    return record | {"createdAt": iso(created), "updatedAt": iso(updated)}


def _frame(channel: Channel, key: str, name: str) -> Record:
    external_id = f"{channel.provider.replace('_', '-')}-{key.removeprefix('signal-')}"
    url = f"https://archive.fennmark.test/{channel.provider}/{external_id}"
    return {
        "key": key,
        "name": name,
        "signalType": channel.signal_type,
        "context": channel.context,
        "processorType": channel.processor,
        "providerType": channel.provider,
        "evidenceKind": channel.kind,
        "analysisProfile": channel.profile,
        "status": "processed",
        "externalId": external_id,
        "sourceLabel": channel.label,
        "source": {"type": channel.provider, "external_data": {"id": external_id}},
        "sourceLinks": [{"name": channel.label, "url": url, "type": "source", "primary": True}],
    }


def _wording(dice: Dice, channel: Channel, account: Record | None, story: list[str]) -> Record:
    if channel.provider != "video_call":
        rating = {"rating": 1 + dice.below(5)} if channel.kind == "review" else {}
        return {"data": {"language": "en", **rating}, "rawData": {"text": " ".join(story)}}
    contacts = account["contacts"] if account else []
    speaker = contacts[0]["name"].split()[0] if contacts else "Customer"
    parts = phrases().parts
    turns = [
        {"speaker": "Interviewer", "text": dice.pick(parts["questions"])},
        {"speaker": speaker, "text": story[0]},
        {"speaker": "Interviewer", "text": dice.pick(parts["followups"])},
        {"speaker": speaker, "text": " ".join(story[1:])},
    ]
    return {"data": {"durationSeconds": 600 + dice.below(2400)}, "transcript": {"turns": turns}}


def compose_insights(dice: Dice, evidence: Evidence, count: int) -> list[Record]:
    """Returns `count` insights, each on up to two composed signals with the same trouble, quoting the first."""
    parts = phrases().parts
    effects = len(parts["effects"])
    lengths = (len(evidence.troubles), effects, effects - 1, len(parts["reach"]), NUMBERS)
    deck = Deck(dice, *lengths) if count else None
    return [_insight(dice, evidence, deck.deal(), (place, count)) for place in range(count)] if deck else []


def _insight(dice: Dice, evidence: Evidence, dealt: tuple[int, ...], at: tuple[int, int]) -> Record:
    which, effect, further, reach, number = dealt
    parts = phrases().parts
    trouble = evidence.troubles[which]
    quotes = tuple(dice.some(evidence.quotes[trouble], 1 + dice.below(2)))
    accounts = _accounts(quotes)
    source = f"{evidence.names[accounts[0]]} described it first" if accounts else "It came from a review"
    effects = parts["effects"]
    second = effects[(effect + 1 + further) % len(effects)]
    start = max((quote.at for quote in quotes), default=moment(dice, *at))
    created = start + timedelta(days=dice.below(6), minutes=30 + dice.below(600))
    key = f"insight-{at[0] + 1:06d}"
    evidence.lessons[trouble.feature].append(Lesson(key, quotes, created))
    return {
        "key": key,
        "title": f"{trouble.learned}, {dice.pick(parts['nuances'])}",
        "description": f"{source}: {trouble.about.lower()}. {effects[effect]} {second} "
        + fill(parts["reach"][reach], number),
        "category": dice.early(("problem", "need", "observation", "risk")),
        "extracts": [{"text": quote.text, "signal": quote.signal} for quote in quotes[:1]],
        "accounts": accounts,
        "signals": [quote.signal for quote in quotes],
        "createdAt": iso(created),
        "updatedAt": iso(created + timedelta(hours=dice.below(200))),
    }


def _accounts(quotes: tuple[Quote, ...]) -> list[str]:
    return list(dict.fromkeys(quote.account for quote in quotes if quote.account))
