"""The table of operations: what can be asked, declared once.

Routing, the key guard, decoding, the OpenAPI document, the reference pages and the generated tests all read it.
"""

import inspect
import types
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal, Protocol, TypeVar, get_args, get_origin

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Database, Window
from sightline.platform.errors import PreconditionFailed, Refusal
from sightline.platform.http.bodies import MIB
from sightline.platform.http.queries import Paging, Query
from sightline.platform.wire import Input, Page, Versioned

Handler = Callable[..., Awaitable[Any]]
Tool = TypeVar("Tool")


class PathParameter(Protocol):
    """A type of path parameter: `parse` raises InvalidReference or NotFound."""

    example: str

    @classmethod
    def parse(cls, text: str) -> Any: ...


class Call(msgspec.Struct, frozen=True):
    """One admitted request: who asks, the database, and what the process keeps for its rooms."""

    db: Database
    actor: Actor
    if_match: str | None = None
    tools: Mapping[type, Any] = {}

    def tool(self, kind: type[Tool]) -> Tool:
        """What the application made of that type when it started."""
        tool: Tool = self.tools[kind]
        return tool

    def expect(self, tag: str | None) -> None:
        """Raises PreconditionFailed when If-Match names no version that is stored now (None: nothing is).

        Every representation of a version stands for it, whatever was included.
        """
        if self.if_match is None or (tag is not None and self.if_match.strip() == "*"):
            return
        given = (_version_of(each.strip()) for each in self.if_match.split(","))
        if tag is None or _version_of(tag) not in given:
            raise PreconditionFailed("If-Match names another version. Read the record again.")


def _version_of(tag: str) -> list[str]:
    """Record and version of a tag, without its flags."""
    return tag.removesuffix('"').split(".")[:2]


Keeping = bool | Literal["anew"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One row of the table.

    `scopes` are all needed; of each set in `any_of` one is needed. `keeps_answers`: honours Idempotency-Key;
    "anew": a repeat shows what is made as it is now, since the body names it.
    `body_limit` counts bytes. `refuses` names the refusals beyond those every operation has.
    """

    method: str
    path: str
    handler: Handler
    name: str
    summary: str
    description: str
    scopes: frozenset[str]
    any_of: tuple[frozenset[str], ...]
    status: int
    paging: Paging | None
    body_limit: int
    keeps_answers: Keeping
    refuses: tuple[type[Refusal], ...]
    example: Any
    path_types: dict[str, type[PathParameter]] = field(default_factory=dict)
    query_type: type[Query] | None = None
    body_type: type[Input] | None = None
    answer_type: Any = None
    argument_names: tuple[str, ...] = ()

    @property
    def is_read(self) -> bool:
        return self.method == "GET"

    @property
    def is_versioned(self) -> bool:
        return get_origin(self.answer_type) is Versioned

    @property
    def honours_if_match(self) -> bool:
        """Writes of what has a version: a record that the path names, or one that is answered with its tag."""
        return not self.is_read and (bool(self.path_types) or self.is_versioned)

    @property
    def shown_type(self) -> Any:
        """What stands in the body: the record, or an array of it."""
        if get_origin(self.answer_type) is Versioned:
            return get_args(self.answer_type)[0]
        if get_origin(self.answer_type) is Page:
            return types.GenericAlias(list, get_args(self.answer_type))
        return self.answer_type


def operation(  # noqa: PLR0913 - the columns of the table
    method: str,
    path: str,
    *,
    scopes: Iterable[str] = (),
    any_of: Iterable[Iterable[str]] = (),
    status: int = 200,
    paging: Paging | None = None,
    body_limit: int = MIB,
    keeps_answers: Keeping = False,
    refuses: Iterable[type[Refusal]] = (),
    example: Any = None,
) -> Callable[[Handler], Operation]:
    """Declares a handler `(call, ...)` as an operation; parameters are told apart by their types.

    Path parameters carry the names in the path; `window: Window` is the page asked for; a Query, an Input and the
    answer (a Record, `Versioned[Record]` or `Page[Record]`) are what they say.
    """

    def declare(handler: Handler) -> Operation:
        summary, _, description = (inspect.getdoc(handler) or "").partition("\n")
        return Operation(
            method=method,
            path=path,
            handler=handler,
            name=handler.__name__,
            summary=summary,
            description=description.strip(),
            scopes=frozenset(scopes),
            any_of=tuple(frozenset(some) for some in any_of),
            status=status,
            paging=paging,
            body_limit=body_limit,
            keeps_answers=keeps_answers,
            refuses=tuple(refuses),
            example=example,
            **_types_of(handler, path),
        )

    return declare


def _types_of(handler: Handler, path: str) -> dict[str, Any]:
    """What the handler's annotations say of an operation."""
    signature = inspect.signature(handler, eval_str=True)
    kinds = {name: parameter.annotation for name, parameter in list(signature.parameters.items())[1:]}
    return {
        "path_types": {name: kind for name, kind in kinds.items() if f"{{{name}}}" in path},
        "query_type": next((kind for kind in kinds.values() if _is(kind, Query)), None),
        "body_type": next((kind for kind in kinds.values() if _is(kind, Input)), None),
        "answer_type": signature.return_annotation,
        "argument_names": tuple(kinds),
    }


def argument_role(operation: Operation, name: str) -> str:
    """What a handler's parameter stands for: path, window, query or body."""
    if name in operation.path_types:
        return "path"
    kind = inspect.signature(operation.handler, eval_str=True).parameters[name].annotation
    if kind is Window:
        return "window"
    return "query" if _is(kind, Query) else "body"


def operations_of(*modules: ModuleType) -> list[Operation]:
    """Every operation that the modules declare, in their order."""
    return [value for module in modules for value in vars(module).values() if isinstance(value, Operation)]


def _is(kind: Any, of: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, of)
