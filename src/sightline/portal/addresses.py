"""The address of a portal, the path of its pages, and whether its cookies need TLS."""

from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct

from sightline.portal.portals.records import Portal
from sightline.portal.portals.urls import is_loopback

CALLBACK = "/api/portal/auth/jwt/callback"
LOGOUT = "/api/portal/portal_session/logout"


def portal_url(portal: Portal, service_url: str) -> str:
    """Returns the portal's address without a trailing slash. Its own host gets scheme and port of the service."""
    if portal.host is None:
        return f"{service_url}/portal/{portal.alias}"
    parts = urlsplit(service_url)
    port = f":{parts.port}" if parts.port and ":" not in portal.host else ""
    return f"{parts.scheme}://{portal.host}{port}"


class Addresses(Struct, rename="camel"):
    """What the customer's product has to know. The secret is null unless it is new."""

    portal_url: str
    callback_url: str
    secret: str | None


def addresses_of(portal: Portal, service_url: str, secret: str | None) -> Addresses:
    url = portal_url(portal, service_url)
    return Addresses(url, url + CALLBACK, secret)


class Place(NamedTuple):
    """`root` is the path before the portal's own paths, without a trailing slash; empty on a mapped host."""

    root: str
    is_secure: bool
    alias: str

    @property
    def cookies(self) -> str:
        """The prefix of this portal's cookie names."""
        return f"{'__Host-' if self.is_secure else ''}sl_{self.alias}_"


def find_place(portal: Portal, public_url: str | None, scheme: str, host: str, *, is_mapped: bool) -> Place:
    """Returns the place. `scheme` and `host` are the request's; the public address, if set, replaces them."""
    if public_url is None:
        root, is_plain = "", scheme == "http" and is_loopback(host)
    else:
        parts = urlsplit(public_url)
        root, is_plain = parts.path, parts.scheme == "http" and is_loopback(parts.hostname or "")
    return Place("" if is_mapped else f"{root}/portal/{portal.alias}", not is_plain, portal.alias)


def host_name(host: str) -> str:
    """Returns the name in a Host header, without the port."""
    if host.startswith("["):
        return host.partition("]")[0][1:]
    return host.partition(":")[0].rstrip(".").lower()
