"""A plan as a request states it: what is left out or null has the default of the record. Specification: Definition."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from sightline.intelligence import plans
from sightline.platform.errors import Fault
from sightline.platform.refs import UUID_PATTERN
from sightline.platform.wire import Id, Input, Text, Trimmed, WireType


class PlanName(Trimmed):
    """1 to 120 characters, trimmed."""

    longest = 120


class NameOfCompetitor(Trimmed):
    """1 to 160 characters, trimmed."""

    longest = 160


class LanguageLabel(Trimmed):
    """The label of a language, such as German; 1 to 50 characters."""

    longest = 50


class Objective(Text):
    """1 to 1,500 characters."""

    longest = 1_500


class QuestionText(Text):
    """1 to 500 characters."""

    longest = 500


class ReadLabel(Text):
    """1 to 200 characters."""

    longest = 200


class NumericId(Text):
    """A numeric identifier of 1 to 20 digits."""

    longest = 20

    @classmethod
    def read(cls, value: Any) -> str:
        text = super().read(value)
        if not (text.isascii() and text.isdigit()):
            raise ValueError("Expected 1 to 20 digits")
        return text

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {"type": "string", "pattern": "^[0-9]{1,20}$", "examples": ["1234567890"]}


_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")


class DomainName(Text):
    """A host name or an IP address without a port; it covers its subdomains. Kept in lower case."""

    longest = 253

    @classmethod
    def read(cls, value: Any) -> str:
        text = super().read(value).strip().lower().removesuffix(".")
        if not _HOST.fullmatch(text) and not _is_address(text):
            raise ValueError("Expected a host name such as example.com, or an IP address, without a port")
        return text

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Beyond ASCII it does not say which characters are letters or digits."""
        end = r"[^\x00-/:-@\[-`{-\x7f]"
        label = rf"{end}([^\x00-,./:-@\[-^`{{-\x7f]{{0,61}}{end})?"
        no_host = {"not": {"pattern": rf"^\s*{label}(\.{label})*\.?\s*$"}}
        either = {"if": no_host, "then": {"format": "ipv6"}}
        return {"type": "string", "maxLength": cls.longest, **either, "examples": ["example.com"]}


def _is_address(text: str) -> bool:
    try:
        return bool(ip_address(text))
    except ValueError:
        return False


class Destination(str, metaclass=WireType):
    """The id of a product, or an empty string."""

    @classmethod
    def read(cls, value: Any) -> str:
        return "" if value == "" else str(Id.read(value))

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^({UUID_PATTERN})?$", "examples": [""]}


class NewCompetitor(Input):
    """A competitor, by every name that it goes by."""

    name: NameOfCompetitor
    website: plans.Website | None = None
    aliases: Annotated[list[NameOfCompetitor], Meta(max_length=plans.MOST_ALIASES)] | None = None


Domains = Annotated[list[DomainName], Meta(max_length=plans.MOST_DOMAINS)]


class NewSectionScope(Input):
    """Where a section looks. Preferred and restricted modes need at least one domain; an excluded domain wins."""

    geography: plans.Geography | None = None
    audience: plans.Audience | None = None
    exclusions: plans.Exclusions | None = None
    languages: Annotated[list[LanguageLabel], Meta(min_length=1, max_length=plans.MOST_LANGUAGES)] | None = None
    source_mode: plans.SourceMode | None = None
    domains: Domains | None = None
    excluded_domains: Domains | None = None

    schema_between: ClassVar = {
        "if": {"properties": {"sourceMode": {"enum": ["preferred", "restricted"]}}, "required": ["sourceMode"]},
        "then": {"properties": {"domains": {"type": "array", "minItems": 1}}, "required": ["domains"]},
    }

    @classmethod
    def faults_between(cls, value: dict[str, Any]) -> Iterator[Fault]:
        mode = value.get("sourceMode")
        if mode in ("preferred", "restricted") and not value.get("domains"):
            yield Fault("domains", f"The source mode {mode} needs at least one domain")


class NewPlanSection(Input):
    """One part of a plan.

    A competitors section has 1 to 5 competitors, a market section a topic; a custom section may have a topic.
    """

    id: Id
    name: PlanName
    type: plans.SectionType
    objective: Objective
    questions: Annotated[list[QuestionText], Meta(min_length=1, max_length=plans.MOST_QUESTIONS)]
    competitors: Annotated[list[NewCompetitor], Meta(max_length=plans.MOST_COMPETITORS)] | None = None
    topic: plans.Topic | None = None
    scope: NewSectionScope | None = None

    schema_between: ClassVar = {
        "allOf": [
            {
                "if": {"properties": {"type": {"const": "competitors"}}},
                "then": {
                    "properties": {
                        "competitors": {"type": "array", "minItems": 1},
                        "topic": {"type": ["string", "null"], "pattern": r"^\s*$"},
                    },
                    "required": ["competitors"],
                },
                "else": {"properties": {"competitors": {"type": ["array", "null"], "maxItems": 0}}},
            },
            {
                "if": {"properties": {"type": {"const": "market"}}},
                "then": {"properties": {"topic": {"type": "string", "pattern": r"\S"}}, "required": ["topic"]},
            },
        ]
    }

    @classmethod
    def faults_between(cls, value: dict[str, Any]) -> Iterator[Fault]:
        type, competitors, topic = value.get("type"), value.get("competitors"), value.get("topic")
        has_topic = bool(topic.strip() if isinstance(topic, str) else topic)
        if type == "competitors" and not competitors:
            yield Fault("competitors", "A competitors section needs 1 to 5 competitors")
        if type in ("market", "custom") and competitors:
            yield Fault("competitors", "Only competitors sections have competitors")
        if type == "market" and not has_topic:
            yield Fault("topic", "A market section needs a topic")
        if type == "competitors" and has_topic:
            yield Fault("topic", "Only market and custom sections have a topic")


class NewAppRead(Input):
    """An app of a store whose reviews are read; without section ids it belongs to every section."""

    connector: plans.AppConnector
    external_id: NumericId
    label: ReadLabel
    section_ids: Annotated[list[Id], Meta(max_length=plans.MOST_SECTIONS)] | None = None


class NewPlanDefinition(Input):
    """A whole plan. `recent` takes sources dated inside the window only, `baseline` older and undated ones too.

    `maxSourcesPerSection` is a target of qualifying sources. `productId` may be empty.
    """

    sections: Annotated[list[NewPlanSection], Meta(min_length=1, max_length=plans.MOST_SECTIONS)]
    research_mode: plans.ResearchMode | None = None
    initial_lookback_days: plans.LookbackDays | None = None
    max_sources_per_section: plans.SourceTarget | None = None
    output_language: LanguageLabel | None = None
    product_id: Destination | None = None
    reads: Annotated[list[NewAppRead], Meta(max_length=plans.MOST_READS)] | None = None

    @classmethod
    def faults_between(cls, value: dict[str, Any]) -> Iterator[Fault]:
        ids = [_folded(section.get("id")) for section in _objects(value.get("sections"), plans.MOST_SECTIONS)]
        for n, id in enumerate(ids):
            if id and id in ids[:n]:
                yield Fault(f"sections[{n}].id", "Another section has this id")
        reads = _objects(value.get("reads"), plans.MOST_READS)
        apps = [(read.get("connector"), read.get("externalId")) for read in reads]
        for n, read in enumerate(reads):
            if all(apps[n]) and apps[n] in apps[:n]:
                yield Fault(f"reads[{n}].externalId", "The same app twice")
            chosen = read.get("sectionIds")
            for m, id in enumerate(chosen[: plans.MOST_SECTIONS] if isinstance(chosen, list) else ()):
                if _folded(id) not in ids:
                    yield Fault(f"reads[{n}].sectionIds[{m}]", "No section of this plan")


def _objects(value: Any, most: int) -> list[dict[str, Any]]:
    """The first items of a list, an empty object in the place of each other value."""
    return [one if isinstance(one, dict) else {} for one in value[:most]] if isinstance(value, list) else []


def _folded(id: Any) -> str:
    """An id in one letter case; empty if it is no text."""
    return str(id).lower() if isinstance(id, str) else ""
