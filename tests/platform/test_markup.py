"""Text from HTML: a line for each block, links with their address, and no text lost to what is not closed."""

import pytest

from sightline.platform.markup import without_html

LINK = "<a class='x' HREF = 'https://a.example/t?a=1'>this <b>thread</b></a>"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<p>See {LINK}.</p>", "See this thread (https://a.example/t?a=1)."),
        ("<a name='x'>One</a> <a href='/x'>two</a> <a href='http://a.example'>", "One two"),
        (
            "<a href='http://a.example'>One <a href='http://b.example/'>b.example</a>",
            "One b.example (http://b.example/)",
        ),
        ("<ul><li class='x'>One</li><li>Two<br/>lines</li></ul>", "- One\n- Two\nlines"),
        ("One<!-- <br> <li> --> and <script><li>two</script> three", "One and  three"),
        ("a <b<br>c</p>d", "a <b\nc\nd"),
        (f"&#8364;&#{'0' * 5_000}65;&#x42;&#{'1' * 5_000}&#00000000;&#;", "€AB\ufffd\ufffd&#;"),
    ],
)
def test_html_as_text(html: str, text: str) -> None:
    assert without_html(html) == text


def test_a_long_text_is_read_as_its_parts() -> None:
    block = f"<p>See {LINK}, or <!-- {'x' * 700} -->{'y' * 600} 3 < 4.</p>\n"
    assert without_html(block * 500) == "\n\n".join([without_html(block)] * 500)
