"""Addresses of pages: one form for all ways to write the same one, and the domains they belong to."""

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urljoin, urlsplit, urlunsplit

LONGEST_ADDRESS: Final = 2_000
LONGEST_HOST: Final = 253

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_TRACKING: Final = re.compile(
    r"utm_\w+|mc_[ce]id|pk_\w+|mtm_\w+|matomo_\w+|hsa_\w+|_hs(enc|mi)|vero_\w+|oly_(anon|enc)_id|"
    r"fbclid|gclid|gbraid|wbraid|dclid|msclkid|yclid|twclid|ttclid|igshid|li_fat_id|mkt_tok|_ga|_gl|s_cid|cmpid|wt_mc",
    re.IGNORECASE,
)
_SAFE_IN_PATH: Final = "/:@!$&'()*+,;=~-._%"
_HOST: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")


def canonical(url: str, base: str = "") -> str | None:
    """The address in its one form, or None if it is none of the web's or longer than 2,000 characters.

    A relative one is joined with `base`. Lower-case scheme and host, no default port, user, fragment or tracking
    parameter, dots in the path resolved.
    """
    url = url.strip()
    if len(url) > LONGEST_ADDRESS:  # parsing takes seconds for a megabyte
        return None
    try:
        url = urljoin(base, url)
        parts = urlsplit(url)
        host, port, query = host_of(url), parts.port, _query(parts.query)
    except ValueError:  # UnicodeError too
        return None
    if parts.scheme not in _DEFAULT_PORTS or host is None or len(url) > LONGEST_ADDRESS:
        return None
    shown = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        shown += f":{port}"
    return urlunsplit(SplitResult(parts.scheme, shown, _path(parts.path), query, ""))


def identity(url: str) -> str:
    """What two addresses of the same page have in common: http and https count as one, and so do a slash or none."""
    address = canonical(url)
    if address is None:
        return url.strip()
    parts = urlsplit(address)
    return urlunsplit(("", parts.netloc, parts.path.rstrip("/"), parts.query, ""))


def host_of(url: str) -> str | None:
    """The host of an address, as a domain is written: lower case, punycode, without a port. None if there is none."""
    try:
        return domain_of(urlsplit(url.strip()).hostname or "")
    except ValueError:
        return None


def ip_of(text: str) -> IPv4Address | IPv6Address | None:
    """The IP address that a host is; None for a name."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def domain_of(text: str) -> str | None:
    """A host name in lower case and punycode, or an IP address; None if it is neither."""
    name = text.strip().rstrip(".").lower()
    if address := ip_of(name.strip("[]")):
        return str(address)
    if len(name) > LONGEST_HOST:  # punycode is longer still
        return None
    try:
        name = name if name.isascii() else name.encode("idna").decode()
    except UnicodeError:
        return None
    return name if len(name) <= LONGEST_HOST and _HOST.fullmatch(name) else None


def is_within(url: str, domains: Iterable[str]) -> bool:
    """Whether the host of an address is one of the domains or below one; on any port."""
    host = host_of(url)
    if host is None:
        return False
    known = [name for domain in domains if (name := domain_of(domain))]
    return host in known or (not ip_of(host) and any(host.endswith(f".{name}") for name in known))


def _path(path: str) -> str:
    """Resolves dots. The dot in front keeps a path that begins with two slashes from being taken for a host."""
    return urlsplit(urljoin("http://host.invalid/", "/." + quote(path, _SAFE_IN_PATH, errors="replace"))).path


def _query(query: str) -> str:
    if not query:
        return ""
    pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")  # keeps bytes that are not UTF-8
    return urlencode([pair for pair in pairs if not _TRACKING.fullmatch(pair[0])], errors="surrogateescape")
