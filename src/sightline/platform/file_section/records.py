"""Records of the workspace file, and the types of their fields.

A record is read by msgspec, so bounds, JSON Schema and the cells of CSV come from its type. A field is stored in the
column of its name in snake case. Its default is that of a new record; without one (UNSET), a new record needs it. What
a type cannot say is a marker of `fields.py` in `Annotated`.
"""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.wire import Id, Moment, Trimmed, WireType

LARGEST = 2**31 - 1


class Name(Trimmed):
    """1 to 255 characters, trimmed."""

    longest = 255


# Kept as in the file.
Word = Annotated[str, Meta(min_length=1, max_length=255, pattern=r"\S")]
Email = Annotated[str, Meta(max_length=254, pattern=r"^[^\s@]+@[^\s@]+\Z", examples=["ada@example.com"])]
Whole = Annotated[int, Meta(ge=0, le=LARGEST)]
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
Number = Annotated[int, Meta(ge=1, le=2**53)]


class Hexadecimal(bytes, metaclass=WireType):
    """Bytes as hexadecimal digits."""

    @classmethod
    def read(cls, value: Any) -> bytes:
        try:
            return bytes.fromhex(value)
        except (TypeError, ValueError):
            raise ValueError("Expected hexadecimal digits") from None

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {"type": "string", "pattern": "^([0-9a-fA-F]{2})*$"}


class Part(Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """An object of the file."""


class FileRecord(Part):
    """A record. Any record may have these fields; a list that does not store one checks and ignores it."""

    id: Id | UnsetType | None = UNSET
    number: Number | UnsetType | None = UNSET
    created_at: Moment | UnsetType | None = UNSET
    updated_at: Moment | UnsetType | None = UNSET


class KeyedRecord(FileRecord):
    """A record with a key of the author's own."""

    key: Word | UnsetType | None = UNSET
