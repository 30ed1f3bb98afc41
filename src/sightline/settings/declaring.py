"""How a setting is declared, and how a value from the command line, the environment or the file becomes its value."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from datetime import timedelta
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from sightline.platform.refused import Refused

LEAST_SECRET = 16  # characters

Network = IPv4Network | IPv6Network
Reader = Callable[[Any], Any]
_CENTURY = timedelta(days=36525)
Text = Annotated[str, Meta(pattern=r"\A[^\0]*\Z")]
_BOOLEANS = {"yes": "true", "on": "true", "no": "false", "off": "false"}


class SettingsError(Refused):
    """A setting is missing or wrong. The message is one line with its name and the expected value."""


def folder(value: Any) -> Path:
    return Path(value if isinstance(value, Path) else msgspec.convert(value, Text)).expanduser().absolute()


def long_secret(value: Any) -> str:
    if len(text := msgspec.convert(value, Text)) < LEAST_SECRET:
        raise ValueError(f"at least {LEAST_SECRET} characters")
    return text


def price(value: Any) -> Decimal:
    text = str(value).strip()
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text, re.ASCII):
        raise ValueError("a price like 0.15")
    return Decimal(text)


def seconds(value: Any) -> timedelta:
    with suppress(TypeError, ValueError, OverflowError):
        if abs(given := timedelta(seconds=float(value))) <= _CENTURY:
            return given
    raise ValueError("a number of seconds, of a hundred years at most")


def country(value: Any) -> str:
    text = str(value).lower()
    if not (len(text) == 2 and text.isascii() and text.isalpha()):
        raise ValueError("the two letters of a country, such as us")
    return text


def url_of(*schemes: str) -> Reader:
    def read(value: Any) -> str:
        try:
            parts = urlsplit(msgspec.convert(value, Text))
            is_fine = parts.scheme in schemes and (parts.port is None or bool(parts.hostname))
        except ValueError:
            is_fine = False
        if not is_fine:
            raise ValueError(f"an address that begins with {schemes[0]}://")
        return str(value)

    return read


def web_url(value: Any) -> str:
    address: str = url_of("https", "http")(value)
    if not urlsplit(address).hostname:
        raise ValueError("an address like https://host.example")
    return address.rstrip("/")


def origin(value: Any) -> str:
    if value == "*":
        return "*"
    address = web_url(value)
    if urlsplit(address).path or urlsplit(address).query:
        raise ValueError("origins like https://host.example")
    return address


def network(value: Any) -> Network:
    try:
        return ip_network(str(value).strip(), strict=False)
    except ValueError:
        raise ValueError("networks or addresses like 10.0.0.0/8") from None


def many(read_one: Reader) -> Reader:
    """Reads a comma-separated list, or a list in the file."""

    def read(value: Any) -> tuple[Any, ...]:
        items = value if isinstance(value, list | tuple) else str(value).split(",")
        trimmed = (item.strip() if isinstance(item, str) else item for item in items)
        return tuple(read_one(item) for item in trimmed if item != "")

    return read


def setting(
    sentence: str, read: Reader | None = None, *, default: Any = None, is_secret: bool = False, **bounds: Any
) -> Any:
    """Declares a field of the settings: its sentence in the guide and in `--help`, its default, and its bounds.

    `read` converts what msgspec cannot, and raises a ValueError that says what is expected. Messages do not show
    the value of one that `is_secret`.
    """
    meta = Meta(description=sentence, extra={"read": read}, **bounds)
    return field(default=default, repr=not is_secret, metadata={"meta": meta})


class Setting(NamedTuple):
    """What is declared of a setting. `default` is None if there is none, or if it depends on the user."""

    type: Any
    default: Any
    is_shown: bool  # in messages
    meta: Meta

    def convert(self, value: Any, source: str) -> Any:
        """Returns the value in its type. `source` is where it was found. Raises SettingsError."""
        try:
            if read := (self.meta.extra or {})["read"]:
                return read(value)
            return msgspec.convert(self._plain(value), Annotated[self.type, self.meta], strict=False)
        except ValueError as error:
            expected = self.expected if isinstance(error, msgspec.ValidationError) else error
            found = f", not {str(value)[:100]!r}" if self.is_shown else ""
            raise SettingsError(f"{source}: expected {expected}{found}.") from None

    def _plain(self, value: Any) -> Any:
        """Returns a word or a number without its variants, such as `yes` for `true`."""
        if self.type in (bool, int) and isinstance(value, str):
            value = value.strip()
        if self.type is bool or self.choices:
            value = str(value).lower()
        return _BOOLEANS.get(value, value) if self.type is bool else value

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed words, none if it is not limited to some."""
        return next((get_args(one) for one in (self.type, *get_args(self.type)) if get_origin(one) is Literal), ())

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.meta.le is not None:
            return f"a whole number from {self.meta.ge} to {self.meta.le}"
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        return "true or false" if self.type is bool else "text"
