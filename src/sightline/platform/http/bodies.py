"""Reading a body: its size, its type, its JSON, and every fault in it at once."""

import types
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, Struct, UnsetType

from sightline.platform.errors import Fault, MalformedJson, TooLarge, UnsupportedMediaType, ValidationFailed
from sightline.platform.wire import read_wire_type

MIB = 1024 * 1024

Read = TypeVar("Read")
Receive = Callable[[], Awaitable[Any]]


class ClientGone(Exception):
    """The caller closed the connection before the whole body had come."""


async def receive_body(receive: Receive, headers: dict[bytes, bytes], largest: int) -> bytes:
    """Raises TooLarge past `largest` bytes, without reading what is announced to be larger."""
    announced = headers.get(b"content-length", b"")
    if announced.isdigit() and int(announced) > largest:
        raise _too_large(largest)
    message = await receive()
    if not message.get("more_body") and message["type"] == "http.request":
        return bytes(_within(message.get("body", b""), largest))
    body = bytearray(message.get("body", b""))
    while message.get("more_body") or message["type"] != "http.request":
        if message["type"] == "http.disconnect":
            raise ClientGone
        message = await receive()
        body += message.get("body", b"")
        _within(body, largest)
    return bytes(body)


def _within(body: bytes | bytearray, largest: int) -> bytes | bytearray:
    if len(body) > largest:
        raise _too_large(largest)
    return body


def _too_large(largest: int) -> TooLarge:
    return TooLarge(f"The body may have at most {largest} bytes.", limit=largest)


def refuse_other_types(content_type: bytes | None) -> None:
    """Raises UnsupportedMediaType for a declared type that is not JSON; none declared counts as JSON."""
    if content_type is None:
        return
    declared = content_type.split(b";", 1)[0].strip().lower()
    if declared and declared != b"application/json":
        raise UnsupportedMediaType("Send application/json.")


class Body(Generic[Read]):
    """Decodes one type of body; answers a wrong one with all its faults."""

    def __init__(self, kind: type[Read]) -> None:
        self.kind = kind
        self._decoder = msgspec.json.Decoder(kind, dec_hook=read_wire_type)

    def decode(self, body: bytes) -> Read:
        """Raises MalformedJson or ValidationFailed."""
        try:
            try:
                read = self._decoder.decode(body)
            except (msgspec.DecodeError, UnicodeDecodeError):
                raise self._refusal(body) from None
            if b"\\u0000" in body and (faults := _nul_faults(msgspec.json.decode(body), "")):
                raise ValidationFailed(faults)
        except RecursionError:
            raise MalformedJson("The body is nested too deeply.") from None
        return read

    def _refusal(self, body: bytes) -> Exception:
        if not body.strip():
            return MalformedJson("A JSON object is needed; the body is empty.")
        try:
            value = msgspec.json.decode(body)
        except UnicodeDecodeError:
            return MalformedJson("The body is not UTF-8.")
        except msgspec.ValidationError as error:
            return ValidationFailed([Fault("", str(error))])
        except msgspec.DecodeError as error:
            return MalformedJson(str(error))
        return ValidationFailed(faults_in(self.kind, value, "") or [Fault("", "Not valid.")])


def faults_in(kind: Any, value: Any, path: str) -> list[Fault]:
    """Everything that is wrong with a value, each with its path: `classifications[0].groupKey`."""
    inner = _plain(kind)
    if isinstance(inner, type) and issubclass(inner, Struct):
        return _faults_in_struct(inner, value, path)
    if get_origin(inner) is list and isinstance(value, list):
        own = _fault_of(kind, [], path) if not value else _length_fault(kind, value, path)
        (item,) = get_args(inner)
        return own + [fault for n, each in enumerate(value) for fault in faults_in(item, each, f"{path}[{n}]")]
    members = [member for member in get_args(inner) if member not in (type(None), UnsetType)]
    if _is_union(inner) and len(members) == 1 and not (value is None and type(None) in get_args(inner)):
        return faults_in(members[0], value, path)
    return _nul_faults(value, path) or _fault_of(kind, value, path)


def _plain(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _faults_in_struct(kind: type[Struct], value: Any, path: str) -> list[Fault]:
    if not isinstance(value, dict):
        return [Fault(path, "Expected an object")]
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    at = f"{path}." if path else ""
    faults = [Fault(f"{at}{name}", "Unknown field") for name in value if name not in fields]
    for name, field in fields.items():
        if name in value:
            faults += faults_in(field.type, value[name], f"{at}{name}")
        elif field.default is NODEFAULT and field.default_factory is NODEFAULT:
            faults.append(Fault(f"{at}{name}", "Required"))
    return faults


def _length_fault(kind: Any, value: list[Any], path: str) -> list[Fault]:
    for meta in getattr(kind, "__metadata__", ()):
        if meta.max_length is not None and len(value) > meta.max_length:
            return [Fault(path, f"At most {meta.max_length} items")]
        if meta.min_length is not None and len(value) < meta.min_length:
            return [Fault(path, f"At least {meta.min_length} items")]
    return []


def _fault_of(kind: Any, value: Any, path: str) -> list[Fault]:
    try:
        msgspec.convert(value, kind, dec_hook=read_wire_type)
    except msgspec.ValidationError as error:
        return [Fault(path, str(error).split(" - at `$")[0])]
    return []


def _nul_faults(value: Any, path: str) -> list[Fault]:
    if isinstance(value, str):
        return [Fault(path, "Must not hold the character NUL")] if "\0" in value else []
    if isinstance(value, dict):
        at = f"{path}." if path else ""
        names = [Fault(path, "A name must not hold the character NUL") for name in value if "\0" in name]
        return names + [fault for name, each in value.items() for fault in _nul_faults(each, f"{at}{name}")]
    if isinstance(value, list):
        return [fault for n, each in enumerate(value) for fault in _nul_faults(each, f"{path}[{n}]")]
    return []


__all__ = ["MIB", "UNSET", "Body", "ClientGone", "faults_in", "receive_body", "refuse_other_types"]
