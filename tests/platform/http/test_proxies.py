"""Trusted proxies. Decisions: Everywhere, Headers."""

from ipaddress import ip_network
from typing import Any

import pytest

from sightline.platform.http.proxies import TrustedProxies, client_of, origin_of

PROXIES = TrustedProxies([ip_network("10.0.0.0/8"), ip_network("2001:db8::/32")])


def scope(client: str | None, **headers: str) -> dict[str, Any]:
    sent = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    return {
        "client": (client, 4711) if client else None,
        "scheme": "http",
        "headers_by_name": {b"host": b"inner:8000", **sent},
    }


def seen(client: str | None, **headers: str) -> tuple[str | None, str]:
    asked = scope(client, **headers)
    PROXIES.apply(asked)
    return client_of(asked), origin_of(asked)


FORWARDED = {"x_forwarded_for": "203.0.113.7", "x_forwarded_proto": "https", "x_forwarded_host": "ideas.example"}


@pytest.mark.parametrize("proxy", ["10.1.2.3", "::ffff:10.1.2.3", "2001:db8::9"])
def test_headers_of_a_trusted_proxy_count(proxy: str) -> None:
    assert seen(proxy, **FORWARDED) == ("203.0.113.7", "https://ideas.example")


@pytest.mark.parametrize("client", ["203.0.113.9", "11.0.0.1", "2001:db9::1", None])
def test_headers_of_others_do_not(client: str | None) -> None:
    assert seen(client, **FORWARDED) == (client, "http://inner:8000")


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("198.51.100.1, 203.0.113.7", "203.0.113.7"),
        ("198.51.100.1, 203.0.113.7, 10.9.9.9", "203.0.113.7"),
        ("10.9.9.8, 10.9.9.9", "10.9.9.8"),
        ("203.0.113.7:4711", "203.0.113.7"),
        ("[2001:db9::1]:4711", "2001:db9::1"),
        ("2001:db9::1", "2001:db9::1"),
        ("198.51.100.1, unknown", "10.1.2.3"),
        ("<script>", "10.1.2.3"),
        ("", "10.1.2.3"),
    ],
)
def test_the_client_is_the_nearest_address_that_no_proxy_has(forwarded: str, client: str) -> None:
    assert seen("10.1.2.3", x_forwarded_for=forwarded)[0] == client


@pytest.mark.parametrize(
    ("headers", "origin"),
    [
        ({"x_forwarded_proto": "gopher"}, "http://inner:8000"),
        ({"x_forwarded_proto": "http, https"}, "https://inner:8000"),
        ({"x_forwarded_host": 'evil.example/"><a>'}, "http://inner:8000"),
        ({"x_forwarded_host": "outer.example, ideas.example:8443"}, "http://ideas.example:8443"),
    ],
)
def test_scheme_and_host_are_checked(headers: dict[str, str], origin: str) -> None:
    assert seen("10.1.2.3", **headers)[1] == origin
