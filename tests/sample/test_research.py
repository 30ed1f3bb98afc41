"""The finished research of the sample rests on articles of its library."""

from hashlib import sha256
from importlib.resources import files
from typing import Any

import pytest

from sightline.sample.workspace import load


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    [brief] = load()["research"]
    [run] = brief["runs"]
    found: dict[str, Any] = run
    return found


def test_every_quote_is_a_part_of_its_source(run: dict[str, Any]) -> None:
    texts = {source["id"]: source["content"] for source in run["sources"]}
    findings = [finding for section in run["sections"] for finding in section["findings"]]
    assert len(findings) == len(texts) >= 4
    wrong = [said for one in findings for said in one["observations"] if said["quote"] not in texts[one["sourceId"]]]
    assert wrong == []


def test_every_source_is_an_article_of_the_library(run: dict[str, Any]) -> None:
    library = "".join(article.read_text() for article in files("sightline.sample").joinpath("library").iterdir())
    for source in run["sources"]:
        assert source["url"] in library
        assert source["contentHash"] == sha256(source["content"].encode()).hexdigest()


def test_every_section_has_an_answer_from_its_findings(run: dict[str, Any]) -> None:
    for section in run["sections"]:
        own = {finding["id"] for finding in section["findings"]}
        named = [set(answered["findingIds"]) for answered in section["answer"]["questions"]]
        assert named
        assert all(ids <= own for ids in named)
