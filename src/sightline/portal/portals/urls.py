"""Addresses of the customer's product."""

from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import unquote_plus, urlencode, urlsplit, urlunsplit


def is_safe_remote(url: str) -> bool:
    """Whether browsers may be redirected there: https or loopback http, with a host, no user, no space or control."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or parts.username is not None or any(letter.isspace() or not letter.isprintable() for letter in url):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))


@lru_cache(maxsize=100)
def is_loopback(host: str) -> bool:
    """Whether the host name is the browser's own machine."""
    try:
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False


def with_query(url: str, **parameters: str) -> str:
    """Returns the address with these parameters; they replace parameters of the same name."""
    parts = urlsplit(url)
    own = [each for each in parts.query.split("&") if each and unquote_plus(each.partition("=")[0]) not in parameters]
    return urlunsplit(parts._replace(query="&".join([*own, urlencode(parameters)])))
