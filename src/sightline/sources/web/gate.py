"""Which addresses pages may be fetched from: the public internet, and the networks that the operator allows.

The address that was checked is the address that is connected to, so a name cannot change its meaning in between.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from httpcore2 import SOCKET_OPTION, AnyIOBackend, AsyncNetworkBackend, AsyncNetworkStream, ConnectError

from sightline.sources.addresses import LONGEST_ADDRESS, domain_of, ip_of
from sightline.sources.pages import PageUnavailable

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], Awaitable[list[str]]]

MOST_ADDRESSES: Final = 3  # of a host that are tried
_PORTS: Final = {"http": 80, "https": 443}
_SAFE: Final = "/:@!$&'()*+,;=~-._%?[]"
_NUMBER: Final = re.compile(r"0x[0-9a-f]*|\d+")
# Addresses of IPv6 that stand for another one: IPv4-compatible, NAT64, 6to4, Teredo; and the old site-local ones.
_CARRIERS: Final = "::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16 2001::/32 fec0::/10"
# For protocols, relays and documentation: registered as special purpose, and global to `ipaddress`.
_SPECIAL: Final = (
    "192.0.0.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.175.48.0/24 2620:4f:8000::/48 3fff::/20"
)
_NOT_PUBLIC: Final = tuple(map(ip_network, f"{_CARRIERS} {_SPECIAL}".split()))


class Target(NamedTuple):
    """An address as it is requested. `path` includes the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == _PORTS[self.scheme] else f":{self.port}")

    @property
    def url(self) -> str:
        return self.origin + self.path


def target_of(url: str, base: str = "") -> Target:
    """The parts of an address of the web; a relative one is joined with `base`.

    Raises PageUnavailable for anything else, and for one with a user name.
    """
    try:
        url = urljoin(base, url.strip())
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise PageUnavailable("It has no valid address.") from None
    if parts.scheme not in _PORTS:
        raise PageUnavailable("Only addresses of http and https are read.")
    if "@" in parts.netloc:
        raise PageUnavailable("Addresses with a user name are not read.")
    host = domain_of(parts.hostname or "")
    if host is None or _is_disguised(host) or len(url) > LONGEST_ADDRESS:
        raise PageUnavailable("It has no valid address.")
    path = quote(parts.path, _SAFE, errors="replace") or "/"
    query = f"?{quote(parts.query, _SAFE, errors='replace')}" if parts.query else ""
    return Target(parts.scheme, host, _PORTS[parts.scheme] if port is None else port, path + query)


def _is_disguised(host: str) -> bool:
    """Whether it is an IP address in another form, such as 2130706433 or 0x7f.1."""
    return ip_of(host) is None and bool(_NUMBER.fullmatch(host.rsplit(".", 1)[-1]))


def is_public(address: Address) -> bool:
    """Whether it belongs to the public internet, and stands for no other address."""
    if any(address in network for network in _NOT_PUBLIC):
        return False
    is_special = address.is_multicast or address.is_reserved or address.is_unspecified
    return address.is_global and not is_special


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


class Gate:
    """Lets pass what is public on ports 80 and 443, and allowed networks on every port. `resolve` is for tests."""

    def __init__(self, allowed: Sequence[Network] = (), resolve: Resolve = resolve) -> None:
        self._allowed = allowed
        self._resolve = resolve

    def is_allowed(self, address: Address) -> bool:
        """Whether the operator allows it by name of its network."""
        return any(address in network for network in self._allowed)

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to. Raises PageUnavailable unless all addresses of the host may be reached."""
        try:
            found = [ip_address(text) for text in await self._resolve(host, port)]
        except (OSError, ValueError):
            raise PageUnavailable("Its host is not known.") from None
        if not found:
            raise PageUnavailable("Its host is not known.")
        for address in found:
            if not self.is_allowed(address):
                if not is_public(address):
                    raise PageUnavailable("Its host is not on the public internet.")
                if port not in _PORTS.values():
                    raise PageUnavailable("Pages are read on ports 80 and 443 only.")
        return list(dict.fromkeys(map(str, found)))[:MOST_ADDRESSES]


class GatedNetwork(AsyncNetworkBackend):
    """Connects to addresses that the gate has checked, and to nothing else."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._network = AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface has it
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        failure: Exception = ConnectError("No address.")
        for address in await self._gate.addresses(host, port):
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except ConnectError as error:
                failure = error
        raise failure
