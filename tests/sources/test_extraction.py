"""Text, title, publisher, date and language of HTML; whatever the page is, it ends soon."""

from datetime import UTC, datetime
from time import monotonic

import pytest

from sightline.intelligence.embedded.sentences import split_sentences
from sightline.sources.dates import read_hint
from sightline.sources.extraction import extract
from sightline.sources.pages import Page, PageUnavailable

RETRIEVED = datetime(2026, 11, 20, 12, tzinfo=UTC)
TEXT = (
    "Most workshops in the valley send the estimate by text message and wait for the customer before parts are ordered."
)
ARTICLE = (
    f"<article><h1>Yes by text</h1><p>{TEXT}</p><p>The shops say that it saves them an hour of calls.</p></article>"
)


def html(head: str = "", body: str = ARTICLE, attributes: str = "") -> bytes:
    return f"<!doctype html><html {attributes}><head>{head}</head><body>{body}</body></html>".encode()


def read(content: bytes, url: str | None = None) -> Page:
    return extract(content, url, RETRIEVED, own_url="library:page.html")


def day_of(found: Page) -> tuple[str, str] | None:
    return (f"{found.published.moment:%Y-%m-%d}", found.published.tier) if found.published else None


def meta(day: str) -> str:
    return f'<meta property="article:published_time" content="{day}">'


def json_ld(day: str) -> str:
    return f'<script type="application/ld+json">{{"@type": "NewsArticle", "datePublished": "{day}"}}</script>'


def test_an_article_without_what_stands_around_it() -> None:
    page = html(
        '<title>Yes by text | Trade Review</title><meta property="og:title" content="Yes by text">'
        '<meta property="og:site_name" content="Trade Review">',
        f"<nav><a href='/'>Front page</a></nav>{ARTICLE}<footer>All rights reserved</footer><script>let x = 1</script>",
    )
    found = read(page, "https://trade.example/a")
    assert TEXT in found.text
    assert not any(part in found.text for part in ("Front page", "All rights", "let x"))
    assert (found.title, found.publisher) == ("Yes by text", "Trade Review")
    assert found.language == "en"


HIDING = [
    "<p hidden>{}</p>",
    "<p hidden=''>{}</p>",
    "<p HIDDEN='hidden'>{}</p>",
    "<p hidden='false'>{}</p>",
    "<p aria-hidden='true'>{}</p>",
    "<p aria-hidden=' TRUE '>{}</p>",
    "<p style='display:none'>{}</p>",
    "<p style='color: red; DISPLAY : None !important; margin: 0'>{}</p>",
    "<p style='display:none!important;display:block'>{}</p>",
    "<p style='display:block;display:none'>{}</p>",
    "<p style='display:/* no */none'>{}</p>",
    "<p style='visibility: hidden'>{}</p>",
    "<p style='visibility:collapse;'>{}</p>",
    "<div hidden><section><p>{}</p></section></div>",
    "<template><p>{}</p></template>",
    "<dialog><p>{}</p></dialog>",
    "<p>Before <span style='display:none'>{}</span> and after.</p>",
]
SHOWING = [
    "<p>{}</p>",
    "<p aria-hidden='false'>{}</p>",
    "<p hidden='until-found'>{}</p>",
    "<p style='display:block'>{}</p>",
    "<p style='display:none;display:block'>{}</p>",
    "<p style='visibility:visible'>{}</p>",
    "<p style='display-none: 1'>{}</p>",
    "<dialog open><p>{}</p></dialog>",
    "<details><summary>More</summary><p>{}</p></details>",
]
ASIDE = "Nobody who opens this page will ever read that deposits are refunded within a day."


def with_aside(markup: str) -> bytes:
    return html(body=f"<article><p>{TEXT}</p>{markup.format(ASIDE)}<p>Shops say so too, all of them.</p></article>")


@pytest.mark.parametrize("markup", HIDING)
def test_text_that_a_page_hides_is_not_read(markup: str) -> None:
    found = read(with_aside(markup))
    assert "deposits" not in found.text
    assert TEXT in found.text
    assert "Shops say so too" in found.text


@pytest.mark.parametrize("markup", SHOWING)
def test_text_that_a_page_shows_is_read(markup: str) -> None:
    found = read(with_aside(markup))
    assert ASIDE in found.text


def test_a_page_that_hides_itself_until_a_script_has_run_is_read() -> None:
    page = html(body=ARTICLE).replace(b"<body>", b"<body style='visibility: hidden'>")
    assert TEXT in read(page).text


@pytest.mark.parametrize("text", ["-30°C rating of the winter tyres", ">90 % of shops send estimates by text"])
def test_a_sign_at_the_beginning_of_an_item_is_kept(text: str) -> None:
    shown = text.replace(">", "&gt;")
    found = read(html(body=f"<article><p>{TEXT}</p><ul><li>{shown}</li><li>More words of a list</li></ul></article>"))
    assert text in split_sentences(found.text)


NO_XML = ["\x0c", "\x0b", "\x01", "\x1c", "\ufffe", "&#12;", "&#x0B", "&#xD800;", "&#0;", f"&#{'9' * 5_000};"]


@pytest.mark.parametrize("odd", NO_XML, ids=lambda odd: ascii(odd[:9]))
def test_a_character_that_xml_has_not_is_a_space(odd: str) -> None:
    paragraphs = "".join(f"<p title='{odd}'>{number} of the shops{odd} say: {TEXT}</p>" for number in range(9))
    found = read(html(f"<title>Yes{odd} by text</title>", f"<article>{paragraphs}</article>"))
    assert [" ".join(line.split()) for line in found.text.splitlines()] == [
        f"{number} of the shops say: {TEXT}" for number in range(9)
    ]


def test_other_references_are_read() -> None:
    page = html("", ARTICLE.replace("hour", "&#x201C;hour&#8221;&#9;&#128512;"))
    assert "an \u201chour\u201d \U0001f600 of calls" in read(page).text


def test_a_page_that_shows_nothing_has_no_text() -> None:
    with pytest.raises(PageUnavailable, match="No text"):
        read(html("<title>Yes</title>", f"<div hidden>{ARTICLE}</div>"))


def test_data_for_machines_counts_although_it_is_hidden() -> None:
    hidden = f"<div hidden>{MARKED}</div>"
    assert day_of(read(html(body=ARTICLE + hidden))) == SURE


def test_a_publisher_is_not_guessed_from_the_title() -> None:
    page = (
        b"<html><head><title>Yes by text - Trade Review</title></head><body><p>Most say yes by text.</p></body></html>"
    )
    assert read(page, "https://trade.example/a").publisher is None


def test_a_host_is_no_publisher() -> None:
    assert read(html(), "https://trade.example/a").publisher is None


JSON_GRAPH = (
    '<script type="application/ld+json">{"@graph": [{"@type": "WebSite"}, {"datePublished": "2026-11-05"}]}</script>'
)


TIME = "<time datetime='2026-11-05'>x</time>"
MARKED = "<time itemprop='datePublished' datetime='2026-11-05'>x</time>"
CHANGED = '<meta property="article:modified_time" content="2026-11-05">'
DATED = "https://trade.example/2026/11/05/yes"
SURE, AGREED = ("2026-11-05", "structured"), ("2026-11-05", "agreed")


@pytest.mark.parametrize(
    ("head", "body", "url", "expected"),
    [
        pytest.param(meta("2026-11-05"), "", None, SURE, id="meta"),
        pytest.param(json_ld("2026-11-05T09:30:00+02:00"), "", None, SURE, id="JSON-LD"),
        pytest.param(JSON_GRAPH, "", None, SURE, id="graph"),
        pytest.param("", MARKED, None, SURE, id="marked time"),
        pytest.param(meta("2026-11-06") + json_ld("2026-11-05"), "", None, SURE, id="a day apart"),
        pytest.param("", "", None, None, id="nothing"),
        pytest.param("", "", DATED, None, id="address alone"),
        pytest.param("", TIME, None, None, id="time alone"),
        pytest.param("", "<p class='date'>Published on 5 November 2026</p>", None, None, id="text alone"),
        pytest.param("", TIME, DATED, AGREED, id="address and time"),
        pytest.param("", "<p class='date'>Published 2026-11-05</p>", DATED, AGREED, id="address and text"),
        pytest.param("", TIME.replace("11-05", "01-05"), DATED, None, id="two that disagree"),
        pytest.param(meta("2026-11-05") + json_ld("2026-03-01"), "", None, None, id="structured data that disagree"),
        pytest.param(meta("2026-11-05") + json_ld("2026-03-01"), "", DATED, AGREED, id="settled by the address"),
        pytest.param(meta("2026-11-05") * 2 + json_ld("2026-03-01"), "", None, None, id="said twice by one"),
        pytest.param(meta("2027-11-05"), "", None, None, id="in the future"),
        pytest.param(meta("1970-01-01"), "", None, None, id="before the web"),
        pytest.param(meta("last week"), "", None, None, id="no date"),
        pytest.param(CHANGED, "", None, None, id="changed is not published"),
        pytest.param("", TIME + TIME.replace("05", "09"), DATED, None, id="several times"),
    ],
)
def test_dates_are_believed_or_unknown(head: str, body: str, url: str | None, expected: tuple[str, str] | None) -> None:
    assert day_of(read(html(head, ARTICLE + body), url)) == expected


def test_a_moment_keeps_its_zone() -> None:
    published = read(html(json_ld("2026-11-05T23:30:00-05:00"))).published
    assert published is not None
    assert published.moment == datetime(2026, 11, 6, 4, 30, tzinfo=UTC)
    assert not published.day_only


@pytest.mark.parametrize(
    "text", ["", "x" * 1_000, "2026-13-45", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "\0"]
)
def test_no_text_breaks_the_reading_of_dates(text: str) -> None:
    hint = read_hint("meta", text)
    assert hint is None or hint.moment.tzinfo is UTC


@pytest.mark.parametrize(
    ("url", "link", "expected"),
    [
        ("https://trade.example/a?utm_source=x", None, "https://trade.example/a"),
        ("https://trade.example/a?page=2", "https://trade.example/a", "https://trade.example/a"),
        ("https://trade.example/a", "https://other.example/famous", "https://trade.example/a"),
        (None, "https://trade.example/a", "https://trade.example/a"),
        (None, "javascript:alert(1)", "library:page.html"),
    ],
)
def test_a_page_names_its_address_on_its_own_host_only(url: str | None, link: str | None, expected: str) -> None:
    assert read(html(f'<link rel="canonical" href="{link}">' if link else ""), url).url == expected


GERMAN = (
    "Die meisten Werkstätten schicken den Kostenvoranschlag und warten auf die Antwort der Kunden, "
    "bevor sie Teile bestellen und mit der Arbeit am Rad beginnen."
)


@pytest.mark.parametrize(
    ("attributes", "text", "expected"),
    [
        ("lang='de-AT'", TEXT, "de"),
        ("", GERMAN, "de"),
        ("", TEXT, "en"),
        ("lang='xx'", GERMAN, "de"),
        ("", "Ja. Nein.", None),
    ],
)
def test_languages_are_declared_or_seen(attributes: str, text: str, expected: str | None) -> None:
    assert read(html(body=f"<article><p>{text}</p></article>", attributes=attributes)).language == expected


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("iso-8859-1", "iso-8859-1"),
        ("", "utf-8"),
        ("", "cp1252"),
        ("utf-8", "cp1252"),
        ("idna", "utf-8"),
        ("", "utf-16"),
    ],
)
def test_character_sets(declared: str, encoding: str) -> None:
    page = html(f'<meta charset="{declared}">' if declared else "", f"<article><p>{GERMAN}</p></article>")
    assert GERMAN in read(page.decode().encode(encoding)).text


SENTENCE = f"<p>{TEXT}</p>"
HOSTILE = {
    "empty": "",
    "spaces": " " * 100_000,
    "a word": "hello",
    "links": "<a href='x'>text of a link</a> " * 14_000,
    "deep": "<div>" * 14_000 + SENTENCE,
    "lists": "<ul><li>item" * 9_000,
    "attributes": "<p " + " ".join(f"a{n}='x'" for n in range(100_000)) + f">{TEXT}</p>",
    "open tags": "<a" * 14_000,
    "too many tags": "<br>" * 40_000,
    "comments": "<!--" * 10_000 + SENTENCE,
    "json": f"<script type='application/ld+json'>{'[' * 500_000}</script>{SENTENCE}",
    "one word": f"<p>{'a' * 1_500_000}</p>",
    "dates": f"<p>{'2026-11-10 ' * 100_000}</p>",
    "entities": f"<p>{'&amp;&#0;&#xd800;' * 10_000}</p>",
    "no page": "\x00\x01\x02PK",
    "too large": "a" * 2_000_001,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_end_soon(name: str) -> None:
    """Each takes under two seconds on a quiet machine."""
    started = monotonic()
    try:
        text = read(HOSTILE[name].encode("utf-8", errors="surrogatepass")).text
    except PageUnavailable as refusal:
        text = refusal.reason
    assert len(text) <= 200_000
    text.encode()
    assert "\0" not in text
    assert monotonic() - started < 60
