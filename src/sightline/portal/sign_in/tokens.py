"""Reads tokens of the customer's product and checks signature and claims. Specification: Portal JWT single sign-in."""

import re
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import jwt

from sightline.platform.refs import parse_uuid

OLDEST = timedelta(minutes=5)
TOLERANCE = timedelta(seconds=60)
MOST_ACCOUNTS = 50
LONGEST_TOKEN = 32_000
_LONGEST_TEXT = 255
_LONGEST_JTI = 1000
_MILLISECONDS = 100_000_000_000  # as seconds, the year 5138
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")  # that the database stores
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")
_ACCOUNT_CLAIMS = ("accountId", "accountExternalId", "accountName", "accountDomain")


class TokenRefused(Exception):
    """The token is not accepted. `claim` is the part that is wrong. The message never has a value of the token."""

    def __init__(self, claim: str, message: str) -> None:
        super().__init__(message)
        self.claim = claim
        self.message = message


class AccountClaim(NamedTuple):
    """The claims about one account, of which at least one is not None. An `id` that is not a UUID is None."""

    id: UUID | None
    external_id: str | None
    name: str | None
    domain: str | None


class Claims(NamedTuple):
    """The claims of an accepted token."""

    jti: str
    email: str
    first_name: str
    last_name: str
    subject: str | None
    accounts: list[AccountClaim]


def read_token(token: str, secret: str, now: datetime) -> Claims:
    """Returns the claims. Raises TokenRefused. Does not check whether the `jti` was used before."""
    claims = _without_nulls(_verified(token, secret))
    _check_times(claims, now)
    email = _filled(claims, "email", 254)
    if _EMAIL.fullmatch(email) is None:
        raise TokenRefused("email", "email is not an e-mail address.")
    return Claims(
        _filled(claims, "jti", _LONGEST_JTI, trimmed=False),
        email,
        _text(claims, "first_name"),
        _text(claims, "last_name"),
        _filled(claims, "sub", trimmed=False) if "sub" in claims else None,
        _read_accounts(claims),
    )


def _verified(token: str, secret: str) -> dict[str, Any]:
    if len(token) > LONGEST_TOKEN:
        raise TokenRefused("token", f"The token is longer than {LONGEST_TOKEN} characters.")
    try:
        header = jwt.get_unverified_header(token)
        if header.get("alg") != "HS256":
            raise TokenRefused("alg", "The header's alg has to be HS256.")
        if "crit" in header or "b64" in header:
            raise TokenRefused("crit", "The header must not have crit or b64.")
        # The library checks only the signature: claims are read below, with our own types and tolerances.
        options: Any = {"verify_" + name: False for name in ("exp", "nbf", "iat", "aud", "iss", "sub", "jti")}
        return jwt.decode(token, secret, algorithms=["HS256"], options=options)
    except jwt.InvalidSignatureError:
        raise TokenRefused("signature", "The signature does not belong to this portal's secret.") from None
    except (jwt.InvalidTokenError, ValueError, TypeError, AttributeError, RecursionError):
        raise TokenRefused("token", "The token is not a JSON Web Token.") from None


def _without_nulls(claims: dict[str, Any]) -> dict[str, Any]:
    """Returns the claims that are not null: null counts as left out."""
    return {name: value for name, value in claims.items() if value is not None}


def _check_times(claims: dict[str, Any], now: datetime) -> None:
    # Only compare: an integer of a token may be too large to be added to a float.
    clock, issued = now.timestamp(), _seconds(claims, "iat")
    if issued > _MILLISECONDS:
        raise TokenRefused("iat", "iat is not in seconds since 1970; it looks like milliseconds.")
    if issued > clock + TOLERANCE.total_seconds():
        raise TokenRefused("iat", "iat is more than 60 seconds in the future: check the clock of the product's server.")
    if issued < clock - OLDEST.total_seconds():
        raise TokenRefused("iat", "iat is older than 5 minutes.")
    if "exp" in claims and _seconds(claims, "exp") < clock - TOLERANCE.total_seconds():
        raise TokenRefused("exp", "exp is in the past.")
    if "nbf" in claims and _seconds(claims, "nbf") > clock + TOLERANCE.total_seconds():
        raise TokenRefused("nbf", "nbf is more than 60 seconds in the future.")


def _seconds(claims: dict[str, Any], name: str) -> int:
    if name not in claims:
        raise TokenRefused(name, f"{name} is missing.")
    value = claims[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise TokenRefused(name, f"{name} has to be an integer, seconds since 1970.")
    return value


def _filled(claims: dict[str, Any], name: str, longest: int = _LONGEST_TEXT, *, trimmed: bool = True) -> str:
    value = _text(claims, name, longest)
    if not value.strip():
        raise TokenRefused(name, f"{name} must not be blank.")
    return value.strip() if trimmed else value


def _text(claims: dict[str, Any], name: str, longest: int = _LONGEST_TEXT, path: str = "") -> str:
    path = path or name
    if name not in claims:
        raise TokenRefused(path, f"{path} is missing.")
    value = claims[name]
    if not isinstance(value, str):
        raise TokenRefused(path, f"{path} has to be a string.")
    if len(value) > longest:
        raise TokenRefused(path, f"{path} is longer than {longest} characters.")
    if _NO_CHARACTER.search(value):
        raise TokenRefused(path, f"{path} holds a character that is not allowed.")
    return value


def _read_accounts(claims: dict[str, Any]) -> list[AccountClaim]:
    """Returns the accounts in `accounts`; without any object in it, the one at top level, as older products send it.

    Objects that name nothing are left out.
    """
    listed = claims.get("accounts", [])
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise TokenRefused("accounts", "accounts has to be a list of objects.")
    if len(listed) > MOST_ACCOUNTS:
        raise TokenRefused("accounts", f"accounts has more than {MOST_ACCOUNTS} objects.")
    found = [_read_account(each, f"accounts[{n}].") for n, each in enumerate(listed)] or [_read_account(claims, "")]
    return [account for account in found if account is not None]


def _read_account(claims: dict[str, Any], at: str) -> AccountClaim | None:
    """Returns None if the claims name no account."""
    given = _without_nulls(claims)
    texts = {name: _text(given, name, path=at + name).strip() for name in _ACCOUNT_CLAIMS if name in given}
    account = AccountClaim(
        parse_uuid(texts.get("accountId", "")),
        texts.get("accountExternalId") or None,
        texts.get("accountName") or None,
        texts.get("accountDomain") or None,
    )
    return account if account != AccountClaim(None, None, None, None) else None
