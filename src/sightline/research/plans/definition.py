"""Completing a plan: defaults filled in, and refused with every fault. Specification: Definition (plan)."""

from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from sightline.intelligence.plans import AppRead, Competitor, PlanDefinition, PlanSection, SectionScope
from sightline.platform.errors import ValidationFailed
from sightline.platform.faults import faults_in
from sightline.platform.wire import Input, read_wire_type
from sightline.research.plans.inputs import NewAppRead, NewPlanDefinition, NewPlanSection

Kept = TypeVar("Kept", bound=Struct)


def complete(new: NewPlanDefinition) -> PlanDefinition:
    """The plan with its defaults."""
    return _with_defaults(
        PlanDefinition,
        new,
        sections=[_section(section) for section in new.sections],
        reads=[_read(read) for read in new.reads or ()],
    )


def ensure_consistent(input: Input, path: str) -> None:
    """Raises ValidationFailed for faults between fields, such as a missing topic. `path` is the place of the input."""
    if faults := list(faults_in(type(input), msgspec.to_builtins(input, enc_hook=str), path)):
        raise ValidationFailed(faults)


def ensure_valid(definition: PlanDefinition, path: str) -> PlanDefinition:
    """The same plan, if a request could state it. Raises ValidationFailed."""
    try:
        new = msgspec.convert(msgspec.to_builtins(definition), NewPlanDefinition, dec_hook=read_wire_type)
    except msgspec.ValidationError as error:
        raise ValidationFailed.of(path, str(error)) from None
    ensure_consistent(new, path)
    return complete(new)


def _with_defaults(kind: type[Kept], new: Input, **parts: Any) -> Kept:
    """The record with what the input states; what it leaves out has the record's default."""
    stated = {name: value for name in new.__struct_fields__ if (value := getattr(new, name)) is not None}
    return kind(**{**stated, **parts})


def _section(new: NewPlanSection) -> PlanSection:
    competitors = [_with_defaults(Competitor, one) for one in new.competitors or ()]
    scope = SectionScope() if new.scope is None else _with_defaults(SectionScope, new.scope)
    return _with_defaults(PlanSection, new, competitors=competitors, scope=scope)


def _read(new: NewAppRead) -> AppRead:
    return _with_defaults(AppRead, new, section_ids=list(dict.fromkeys(new.section_ids or ())))
