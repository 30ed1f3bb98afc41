"""Cursors: a position in a list as a text in an address. Clients pass it on and do not read it."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from uuid import UUID

import msgspec

from sightline.platform.db import Position

CURSOR = "^[a-zA-Z0-9_-]+$"
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(tuple[str, int, int | bytes])
_LARGEST_NUMBER = 2**63 - 1


def write_cursor(position: Position) -> str:
    """Returns the cursor of a position."""
    tie = position.tie.bytes if isinstance(position.tie, UUID) else position.tie
    milliseconds = round(position.moment.timestamp() * 1000)
    return urlsafe_b64encode(_ENCODER.encode((position.order, milliseconds, tie))).decode().rstrip("=")


def read_cursor(text: str) -> Position:
    """Returns the position of a cursor. Raises ValueError for anything that write_cursor() does not return."""
    try:
        packed = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        order, milliseconds, tie = _DECODER.decode(packed)
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
        position = Position(order, moment, UUID(bytes=tie) if isinstance(tie, bytes) else tie)
        if write_cursor(position) == text and (isinstance(tie, bytes) or 0 <= tie <= _LARGEST_NUMBER):
            return position
    except (ValueError, OverflowError, OSError, msgspec.MsgspecError):
        pass
    raise ValueError("Expected the value of a `Link` header")
