"""The form of an API key: `sl_<id>_<secret><checksum>`, letters and digits only.

    id        12 characters; names the stored key, not secret
    secret    43 characters from 256 random bits
    checksum   6 characters of CRC-32 over the rest: a mistyped key is rejected without a query

The secret is random and long, so one round of SHA-256 over the whole key is stored and nothing slower is needed.
"""

import hashlib
import re
import secrets
import string
from dataclasses import dataclass, field
from zlib import crc32

NOT_VALID = "The API key is malformed, unknown, revoked or expired."

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_ID_LENGTH = 12
_SECRET_LENGTH = 43  # 62 ** 43 is the first power above 2 ** 256
_CHECKSUM_LENGTH = 6
_SHAPE = re.compile(rf"(sl_([0-9A-Za-z]{{{_ID_LENGTH}}})_[0-9A-Za-z]{{{_SECRET_LENGTH}}})([0-9A-Za-z]{{6}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """A key with its secret. repr does not show it."""

    id: str
    text: str = field(repr=False)

    @property
    def digest(self) -> bytes:
        """Returns the hash that is stored."""
        return digest(self.text)


def make_token() -> Token:
    """Returns a new key."""
    id = "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))
    body = f"sl_{id}_{_in_base62(secrets.randbits(256), _SECRET_LENGTH)}"
    return Token(id, body + _checksum(body))


def parse_token(text: str) -> Token | None:
    """Returns the key, or None if the text has another form or a wrong checksum."""
    found = _SHAPE.fullmatch(text)
    if found is None or _checksum(found[1]) != found[3]:
        return None
    return Token(found[2], text)


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _checksum(body: str) -> str:
    return _in_base62(crc32(body.encode()), _CHECKSUM_LENGTH)


def _in_base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))
