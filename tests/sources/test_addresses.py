"""One form of an address, and the domains it belongs to."""

import pytest

from sightline.sources.addresses import canonical, domain_of, host_of, identity, is_within

PLAIN = "https://trade.example/news/a?id=7"


@pytest.mark.parametrize(
    "written",
    [
        PLAIN,
        f" {PLAIN} ",
        "HTTPS://Trade.Example/news/a?id=7",
        "https://trade.example:443/news/a?id=7",
        "https://trade.example./news/a?id=7",
        "https://reader@trade.example/news/a?id=7",
        f"{PLAIN}#comments",
        f"{PLAIN}&utm_source=mail&UTM_Campaign=x&fbclid=1&gclid=2&mc_eid=3",
        "https://trade.example/old/../news/./a?id=7",
    ],
)
def test_ways_to_write_one_address(written: str) -> None:
    assert canonical(written) == PLAIN


@pytest.mark.parametrize(
    "other",
    ["https://trade.example:8443/news/a?id=7", "https://trade.example/news/A?id=7", "https://trade.example/news/a?id=8",
     "https://trade.example/news%2Fa?id=7", "https://www.trade.example/news/a?id=7", "https://trade.example//news/a?id=7",
     "https://trade.example///a", "https://trade.example/?q=%C4%E3", "https://trade.example/?q=%C3%A4&r=", ],
)  # fmt: skip
def test_other_addresses_stay_apart(other: str) -> None:
    assert canonical(other) == other
    assert identity(other) != identity(PLAIN)


@pytest.mark.parametrize(
    "other",
    ["http://trade.example/news/a?id=7", "http://trade.example:80/news/a?id=7", "https://trade.example/news/a/?id=7"],
)
def test_scheme_and_a_last_slash_make_no_other_page(other: str) -> None:
    assert identity(other) == identity(PLAIN)


@pytest.mark.parametrize(
    "text",
    ["", "trade.example", "ftp://trade.example/", "file:///etc/passwd", "javascript:alert(1)", "https://", "https:///a",
     "https://tra de.example/", "https://trade.example:99999/", "https://[::1/", "https://-a.example/",
     "https://trade.example/" + "a" * 2_000, "library:a.html", "https://\ud800.example/", "https://trade.example/?q=\ud800",
     "https://" + "\u00e4." * 127 + "example/", "https://\u00e4.example/?" + "a&" * 1_000],
)  # fmt: skip
def test_what_is_no_address_of_the_web(text: str) -> None:
    assert canonical(text) is None


def test_hosts_are_written_one_way() -> None:
    assert host_of("https://Bücher.example:8080/") == "xn--bcher-kva.example"
    assert host_of("http://[2001:DB8::1]:80/") == "2001:db8::1"
    assert domain_of("Trade.Example.") == "trade.example"
    assert canonical("https://[2001:DB8::1]:444/") == "https://[2001:db8::1]:444/"


@pytest.mark.parametrize(
    ("url", "domain", "is_inside"),
    [
        ("https://trade.example/a", "trade.example", True),
        ("https://news.trade.example/a", "trade.example", True),
        ("https://news.trade.example:8443/a", "Trade.Example", True),
        ("https://trade.example/a", "news.trade.example", False),
        ("https://mytrade.example/a", "trade.example", False),
        ("https://trade.example.other.example/a", "trade.example", False),
        ("http://127.0.0.1:9000/a", "127.0.0.1", True),
        ("http://127.0.0.1:9000/a", "0.0.1", False),
        ("http://[::1]:9000/a", "::1", True),
        ("https://bücher.example/", "xn--bcher-kva.example", True),
        ("library:a.html", "trade.example", False),
        ("https://trade.example/a", "", False),
    ],
)
def test_a_domain_covers_its_subdomains_on_any_port(url: str, domain: str, is_inside: bool) -> None:
    assert is_within(url, [domain]) is is_inside
