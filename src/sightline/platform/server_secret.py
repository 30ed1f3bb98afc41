"""Keys derived from SIGHTLINE_SECRET: they encrypt secrets of workspaces and sign cookies and forms."""

import hashlib
import hmac
import os
from base64 import urlsafe_b64encode
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES = 12


class WrongServerSecret(Exception):
    """A text was encrypted with another server secret."""

    def __str__(self) -> str:
        return "SIGHTLINE_SECRET is not the one that the workspace's secret was stored with."


class ServerSecret:
    """Keys for one purpose each. No key reveals another or the secret."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        # The names of the keys are part of what is stored.
        self._cipher = AESGCM(self._key(b"sightline portal secrets"))
        self._signing = self._key(b"sightline portal signatures")

    def _key(self, purpose: bytes) -> bytes:
        return hmac.digest(self._secret, purpose, hashlib.sha256)

    def encrypt(self, workspace_id: UUID, text: str) -> bytes:
        """Encrypts a text for that workspace only (AES-256-GCM)."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, text.encode(), workspace_id.bytes)

    def decrypt(self, workspace_id: UUID, encrypted: bytes) -> str:
        """Returns the text. Raises WrongServerSecret."""
        nonce, rest = encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, rest, workspace_id.bytes).decode()
        except (InvalidTag, ValueError):
            raise WrongServerSecret from None

    def sign(self, purpose: str, *parts: str) -> str:
        """Returns a signature of these parts for one purpose, 43 URL-safe characters."""
        message = "\0".join((purpose, *parts)).encode("utf-8", "surrogatepass")
        return urlsafe_b64encode(hmac.digest(self._signing, message, hashlib.sha256)).decode().rstrip("=")

    def is_signed(self, signature: str, purpose: str, *parts: str) -> bool:
        """Whether the signature fits the parts. Compares in constant time."""
        return hmac.compare_digest(self.sign(purpose, *parts).encode(), signature.encode("utf-8", "surrogatepass"))
