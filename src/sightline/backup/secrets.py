"""Checks whether a secret is the backed-up server's, without storing it.

The manifest holds a slow salted hash (scrypt, 32 MiB) of the secret. It reveals nothing about a random secret of 32
characters; a short one can be guessed at 0.1 s a guess, as it can from any portal secret in the file.
"""

import hashlib
import hmac
import os

from sightline.backup.records import SecretCheck

_PURPOSE = b"sightline backup\0"  # the hash is separate from everything else derived from the secret


def check_value(secret: str) -> SecretCheck:
    salt = os.urandom(16)
    return SecretCheck(salt, _slow_hash(secret, salt))


def is_made_with(check: SecretCheck, secret: str) -> bool:
    """Whether the check was made with this secret. Takes about 0.1 s."""
    return hmac.compare_digest(check.value, _slow_hash(secret, check.salt))


def _slow_hash(secret: str, salt: bytes) -> bytes:
    return hashlib.scrypt(_PURPOSE + secret.encode(), salt=salt, n=2**15, r=8, p=1, maxmem=2**26, dklen=32)
