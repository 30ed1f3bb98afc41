"""Completing a plan: defaults filled in, and what concerns several fields checked. Specification: Definition (plan)."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from sightline.intelligence.plans import Competitor, Definition, Read, Scope, Section
from sightline.platform.errors import Fault, ValidationFailed
from sightline.platform.wire import Input, read_wire_type
from sightline.research.plans.inputs import NewDefinition, NewRead, NewSection

Kept = TypeVar("Kept", bound=Struct)


def complete(new: NewDefinition, path: str, others: Sequence[Fault] = ()) -> Definition:
    """The plan with its defaults.

    Raises ValidationFailed with every fault, each below `path`, after the other faults of the request.
    """
    faults = [*others, *(Fault(f"{path}.{fault.path}", fault.message) for fault in _faults(new))]
    if faults:
        raise ValidationFailed(faults)
    return _with_defaults(
        Definition,
        new,
        sections=[_section(section) for section in new.sections],
        reads=[_read(read) for read in new.reads or ()],
    )


def ensure_valid(definition: Definition, path: str) -> Definition:
    """The same plan, if a request could state it. Raises ValidationFailed."""
    try:
        new = msgspec.convert(msgspec.to_builtins(definition), NewDefinition, dec_hook=read_wire_type)
    except msgspec.ValidationError as error:
        raise ValidationFailed.of(path, str(error)) from None
    return complete(new, path)


def _with_defaults(kind: type[Kept], new: Input, **parts: Any) -> Kept:
    """The record with what the input states; what it leaves out has the record's default."""
    stated = {name: value for name in new.__struct_fields__ if (value := getattr(new, name)) is not None}
    return kind(**{**stated, **parts})


def _section(new: NewSection) -> Section:
    competitors = [_with_defaults(Competitor, one) for one in new.competitors or ()]
    scope = Scope() if new.scope is None else _with_defaults(Scope, new.scope)
    return _with_defaults(Section, new, competitors=competitors, scope=scope)


def _read(new: NewRead) -> Read:
    return _with_defaults(Read, new, section_ids=list(dict.fromkeys(new.section_ids or ())))


def _faults(new: NewDefinition) -> Iterator[Fault]:
    ids = [section.id for section in new.sections]
    for n, section in enumerate(new.sections):
        if section.id in ids[:n]:
            yield Fault(f"sections[{n}].id", "Another section has this id")
        yield from (Fault(f"sections[{n}].{path}", message) for path, message in _faults_of_section(section))
    apps = [(read.connector, read.external_id) for read in new.reads or ()]
    for n, read in enumerate(new.reads or ()):
        if apps[n] in apps[:n]:
            yield Fault(f"reads[{n}].externalId", "The same app twice")
        for m, id in enumerate(read.section_ids or ()):
            if id not in ids:
                yield Fault(f"reads[{n}].sectionIds[{m}]", "No section of this plan")


def _faults_of_section(new: NewSection) -> Iterator[tuple[str, str]]:
    if new.type == "competitors" and not new.competitors:
        yield "competitors", "A competitors section needs 1 to 5 competitors"
    if new.type != "competitors" and new.competitors:
        yield "competitors", "Only competitors sections have competitors"
    has_topic = bool(new.topic and new.topic.strip())
    if new.type == "market" and not has_topic:
        yield "topic", "A market section needs a topic"
    if new.type == "competitors" and has_topic:
        yield "topic", "Only market and custom sections have a topic"
    mode = new.scope.source_mode if new.scope else None
    if new.scope and mode in ("preferred", "restricted") and not new.scope.domains:
        yield "scope.domains", f"The source mode {mode} needs at least one domain"
