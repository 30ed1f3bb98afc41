"""Completing a plan: defaults filled in, and refused with every fault. Specification: Definition (plan)."""

from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from sightline.intelligence.plans import Competitor, Definition, Read, Scope, Section
from sightline.platform.errors import ValidationFailed
from sightline.platform.faults import faults_in
from sightline.platform.wire import Input, read_wire_type
from sightline.research.plans.inputs import NewDefinition, NewRead, NewSection

Kept = TypeVar("Kept", bound=Struct)


def complete(new: NewDefinition) -> Definition:
    """The plan with its defaults."""
    return _with_defaults(
        Definition,
        new,
        sections=[_section(section) for section in new.sections],
        reads=[_read(read) for read in new.reads or ()],
    )


def ensure_consistent(input: Input, path: str) -> None:
    """Raises ValidationFailed with everything that is wrong between the fields of what was decoded, below `path`."""
    if faults := list(faults_in(type(input), msgspec.to_builtins(input, enc_hook=str), path)):
        raise ValidationFailed(faults)


def ensure_valid(definition: Definition, path: str) -> Definition:
    """The same plan, if a request could state it. Raises ValidationFailed."""
    try:
        new = msgspec.convert(msgspec.to_builtins(definition), NewDefinition, dec_hook=read_wire_type)
    except msgspec.ValidationError as error:
        raise ValidationFailed.of(path, str(error)) from None
    ensure_consistent(new, path)
    return complete(new)


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
