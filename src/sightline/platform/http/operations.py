"""The table of operations: the API, declared once.

Routing, the key guard, decoding, the OpenAPI document, the reference pages and the generated tests all read it.
"""

import inspect
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import KW_ONLY, dataclass
from types import ModuleType
from typing import Any, TypeVar, get_origin

import msgspec

from sightline.platform.access import Actor, Role
from sightline.platform.db import Database, Tx
from sightline.platform.errors import PreconditionFailed, Refusal
from sightline.platform.http.bodies import MIB
from sightline.platform.http.query_strings import Query
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import RecordId, Ref
from sightline.platform.wire import Input, Record, Versioned

Handler = Callable[..., Awaitable[Any]]
Keep = Callable[[Tx, Record], Awaitable[None]]
Kind = TypeVar("Kind")


async def keep_nothing(tx: Tx, result: Record) -> None:
    """The `keep` of a request without an Idempotency-Key."""


class Call(msgspec.Struct, frozen=True):
    """An authenticated request: its actor, the database, and by type the tools that rooms share.

    A handler that calls other services passes its result to `keep`, in the transaction that charges for it. A handler
    that passes `at_once` on may raise LargeRecord; then it is called again in the turn for large records.
    """

    db: Database
    actor: Actor
    if_match: str | None = None
    tools: Mapping[type, Any] = {}
    keep: Keep = keep_nothing
    at_once: bool = True

    def expect(self, tag: str | None) -> None:
        """Raises PreconditionFailed unless If-Match allows the stored version, whose tag is None if nothing is stored.

        The tag of any representation names the version, whatever it includes.
        """
        if self.if_match is None or (tag is not None and self.if_match.strip() == "*"):
            return
        versions = (_version_of(each.strip()) for each in self.if_match.split(","))
        if tag is None or _version_of(tag) not in versions:
            raise PreconditionFailed("If-Match does not name the current version. Read the record again.")


def _version_of(tag: str) -> list[str]:
    """Record and version of a tag, without its flags."""
    return tag.removesuffix('"').split(".")[:2]


@dataclass(eq=False)
class Operation:
    """One row of the table, and the decorator that makes one of a handler `(call, ...)`.

    The handler's other parameters: those named in the path, a Window (the requested page), a Query and an Input (the
    body). It returns a Record, `Versioned[Record]`, `Listed[Record]` or `Page[Record]`.

    A key needs all of `scopes` and one of `any_of`. A write also needs `role` of the key's creator;
    `role_first` checks it before the handler's 400 and 404. Every POST honours Idempotency-Key: `runs_again` answers a
    repeat with the current record, since the body names it; `calls_out` says for which bodies the handler calls other
    services and keeps its answer itself. `body_limit` is in bytes. `refuses` lists refusals that
    not every operation has.
    """

    method: str
    path: str
    _: KW_ONLY
    scopes: Collection[str] = ()
    any_of: Collection[str] = ()
    role: Role = Role.EDITOR
    role_first: bool = False
    status: int = 200
    paging: Paging | None = None
    body_limit: int = MIB
    runs_again: bool = False
    calls_out: Callable[[Any], bool] | None = None
    refuses: Collection[type[Refusal]] = ()
    example: Any = None

    def __call__(self, handler: Handler) -> "Operation":
        """Adds what the handler's docstring and annotations say."""
        summary, _, description = (inspect.getdoc(handler) or "").partition("\n")
        signature = inspect.signature(handler, eval_str=True)
        kinds = {name: parameter.annotation for name, parameter in list(signature.parameters.items())[1:]}
        self.handler = handler
        self.name = handler.__name__
        self.summary = summary
        self.description = description.strip()
        self.path_types: dict[str, type[RecordId | Ref]] = {
            name: kind for name, kind in kinds.items() if f"{{{name}}}" in self.path
        }
        self.query_type = _first(kinds, Query)
        self.body_type = _first(kinds, Input)
        self.answer_type = signature.return_annotation
        # Of each argument: the parameter's name in the path, else its type.
        self.arguments = [name if name in self.path_types else kind for name, kind in kinds.items()]
        return self

    @property
    def is_read(self) -> bool:
        return self.method == "GET"

    @property
    def keeps_answers(self) -> bool:
        """Whether it honours Idempotency-Key."""
        return self.method == "POST"

    @property
    def is_versioned(self) -> bool:
        return get_origin(self.answer_type) is Versioned


operation = Operation


def _first(kinds: Mapping[str, Any], of: type[Kind]) -> type[Kind] | None:
    return next((kind for kind in kinds.values() if isinstance(kind, type) and issubclass(kind, of)), None)


def located(operations: Collection[Operation]) -> set[str]:
    """Returns the names of the operations with a Location: of a record that can be read, or of a receipt to poll."""
    lists = {row.path.rpartition("/{")[0] for row in operations if row.is_read and row.path.endswith("}")}
    return {row.name for row in operations if row.status == 202 or (row.status == 201 and row.path in lists)}


def operations_of(*modules: ModuleType) -> list[Operation]:
    """Returns the operations that the modules declare, in order."""
    return [value for module in modules for value in vars(module).values() if isinstance(value, Operation)]
