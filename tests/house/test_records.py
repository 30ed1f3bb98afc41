"""What is written down: decisions have their headings, refusals their codes, dependencies their rows."""

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from sightline.app import openapi_document
from sightline.platform.errors import Refusal
from tests.house.sources import ROOT, sources

DECISIONS = sorted((ROOT / "docs/decisions").glob("*.md"))
HEADINGS = ["Context", "Decision", "Consequences", "Alternatives", "Enforced by"]
# Refusals that no operation of the API answers with.
NOT_ANSWERED = {
    "BAD_REQUEST": "a family",
    "PAYMENT_REQUIRED": "a family",
    "FORBIDDEN": "a family",
    "NOT_READY": "/readyz answers it",
    "KEY_NOT_USABLE": "the command line answers it",
    "SLUG_TAKEN": "likewise",
    "PORTAL_HOST_TAKEN": "likewise",
    "PORTAL_NOT_SET_UP": "likewise",
}
# Packages that are the inner part of a declared one, which pins them.
PARTS = {"httpcore2": "of httpx2", "markupsafe": "of Jinja2"}


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_has_a_number_a_title_and_its_headings(page: Path) -> None:
    number = int(page.name[:4])
    text = page.read_text()
    assert re.match(rf"# {number}\. \S", text), f"{page.name}: begin with `# {number}. The outcome`"
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS, f"{page.name}: the headings are {HEADINGS}"


def test_no_number_of_a_decision_is_used_twice() -> None:
    numbers = [page.name[:4] for page in DECISIONS]
    assert len(numbers) == len(set(numbers)), "Give the newer one the next free number."


def refusals(above: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    for one in above.__subclasses__():
        yield one
        yield from refusals(one)


def own_codes() -> list[tuple[str, str]]:
    """Each code with the class that gives it, of every module there is."""
    for source in sources("src/sightline"):
        if re.search(r"^    (status, )?code(, title)? = ", source.text, re.MULTILINE):
            importlib.import_module(source.module)
    found = {one for one in refusals() if "code" in vars(one) and one.__module__.startswith("sightline.")}
    return sorted((one.code, f"{one.__module__}.{one.__name__}") for one in found)


def test_every_refusal_code_is_given_once() -> None:
    codes = [code for code, _ in own_codes()]
    twice = [pair for pair in own_codes() if codes.count(pair[0]) > 1]
    assert not twice, f"One code, one meaning: {twice}"
    assert all(re.fullmatch(r"[A-Z]+(_[A-Z]+)*", code) for code in codes)


def test_every_refusal_code_stands_in_the_openapi_document() -> None:
    document = openapi_document()
    missing = [pair for pair in own_codes() if f'"{pair[0]}"' not in document and pair[0] not in NOT_ANSWERED]
    assert not missing, f"Name the refusal in `refuses` of the operations that raise it: {missing}"


def plain(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {plain(re.split(r"[\[<>=;~! ]", line)[0]) for line in project["dependencies"]}


def test_every_package_that_the_source_imports_is_declared() -> None:
    imported = {name.split(".")[0] for source in sources("src/sightline") for name in source.imports()}
    packages = packages_distributions()
    needed = {plain(packages[name][0]) for name in imported - sys.stdlib_module_names if name in packages}
    needed |= {"tzdata"} if "zoneinfo" in imported else set()  # its data, where the machine has none
    undeclared = needed - declared() - {"sightline", *PARTS}
    assert not undeclared, f"Add these to the dependencies of pyproject.toml: {sorted(undeclared)}"


def test_every_dependency_has_a_row() -> None:
    page = (ROOT / "docs/decisions/0002-dependencies.md").read_text()
    named = {plain(name) for row in re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE) for name in row.split(", ")}
    missing = declared() - named
    assert not missing, f"Say in docs/decisions/0002-dependencies.md why these are needed: {sorted(missing)}"
