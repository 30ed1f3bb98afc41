"""The part of a text that a list shows."""

import re

import pytest

from sightline.web.marks import around

NEEDLE = re.compile("needle")


@pytest.mark.parametrize("text", ["](*]]![" * 700, "- " * 2500, "- one\n" * 800, "word " * 1000])
def test_a_list_reads_only_the_part_of_a_long_text_that_it_shows(text: str) -> None:
    part = around(text + "needle" + text, NEEDLE)
    assert len(part) <= 1500
    assert "needle" in part


def test_the_part_starts_with_a_line_if_it_can() -> None:
    assert around("- **some** words\n" * 100 + "a needle", NEEDLE).startswith("- **some** words\n")
    assert around("- **some** words\n" * 5 + "a needle", NEEDLE).startswith("- **some** words\n")
