"""The client of a request and the address it was sent to: forwarded headers count from trusted proxies only.

`client_of` and `origin_of` read a scope that the server has passed through `TrustedProxies.apply`.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

Network = IPv4Network | IPv6Network

_HOST = re.compile(rb"[A-Za-z0-9._:\[\]-]{1,255}")
_SCHEMES = {b"http": "http", b"https": "https"}


def client_of(scope: Any) -> str | None:
    """The address of the client, None when the connection has none (a Unix socket)."""
    return scope["client"][0] if scope.get("client") else None


def origin_of(scope: Any) -> str:
    """Scheme and host that the client used: `https://ideas.example`; "" when no sane host was named."""
    host: bytes = scope["headers_by_name"].get(b"host", b"")
    return f"{scope['scheme']}://{host.decode()}" if _HOST.fullmatch(host) else ""


class TrustedProxies:
    """Rewrites the client, the scheme and the host of requests that come from these networks."""

    def __init__(self, networks: Iterable[Network]) -> None:
        self._networks = tuple(networks)
        self._trusts = lru_cache(maxsize=4096)(self._is_trusted)

    def apply(self, scope: Any) -> None:
        """Reads `X-Forwarded-For`, `-Proto` and `-Host`; of several values the one of the nearest proxy counts."""
        nearest = client_of(scope)
        if nearest is None or not self._trusts(nearest):
            return
        for address in reversed(_values(scope, b"x-forwarded-for")):
            found = _address(address)
            if found is None:
                break
            scope["client"] = (found, 0)
            if not self._trusts(found):
                break
        if schemes := _values(scope, b"x-forwarded-proto"):
            scope["scheme"] = _SCHEMES.get(schemes[-1].lower(), scope["scheme"])
        hosts = _values(scope, b"x-forwarded-host")
        if hosts and _HOST.fullmatch(hosts[-1]):
            scope["headers_by_name"][b"host"] = hosts[-1]

    def _is_trusted(self, address: str) -> bool:
        found = ip_address(address)
        found = (found.ipv4_mapped if isinstance(found, IPv6Address) else None) or found
        return any(found in network for network in self._networks)


def _values(scope: Any, name: bytes) -> list[bytes]:
    """The items of every header of that name, in order."""
    return [item.strip() for item in scope["headers_by_name"].get(name, b"").split(b",") if item.strip()]


def _address(written: bytes) -> str | None:
    """An address that may carry a port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. None if it is none."""
    text = written.decode("latin-1")
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ip_address(text))
    except ValueError:
        return None
