"""The commands of the README and of the guide are run against a demo, and answer what the pages say."""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.command import serving
from tests.docs.sessions import Step, differences, indented_step, run_steps, steps_of
from tests.first_database import lay_database
from tests.platform.embedded_world import open_place
from tests.waiting import wait_until
from tests.world import NO_STORE

ROOT = Path(__file__).parents[2]
README = indented_step(ROOT / "README.md", "## First requests")
# Research last: it adds signals, which the others count.
FILES = sorted((ROOT / "docs/guide").glob("*.md"), key=lambda page: (page.stem == "research", page.stem))
PAGES = {page.stem: steps for page in FILES if (steps := steps_of(page))}
GUIDE = [step for steps in PAGES.values() for step in steps]


@pytest.fixture(scope="module")
def printed() -> Iterator[dict[str, str]]:
    """What every step printed, by its place. One demo answers all pages, each in a shell of its own."""
    if missing := [name for name in ("bash", "curl", "python3") if shutil.which(name) is None]:
        pytest.skip(f"{' and '.join(missing)} missing: NOTHING of README.md and docs/guide was run")
    with open_place() as place, ExitStack() as stack:
        lay_database(data := place / "data")
        demo = stack.enter_context(serving(place / "log", "demo", "--data-dir", data, APP_STORE_URL=NO_STORE))
        address = demo.wait_ready()
        wait_until(lambda: "\ntry " in demo.said)
        found = re.search(r"^key +(sl_\w+)$", demo.said, re.MULTILINE)
        assert found
        said: dict[str, str] = {}
        for name, steps in {"readme": [README], **PAGES}.items():
            folder = place / name
            folder.mkdir()
            said |= zip(map(str, steps), run_steps(steps, folder, found[1], address), strict=True)
        yield said


@pytest.mark.parametrize("step", GUIDE, ids=str)
def test_a_command_of_the_guide_prints_the_output_in_the_guide(printed: dict[str, str], step: Step) -> None:
    output = printed[str(step)]
    wrong = differences(step, output)
    assert not wrong, "\n".join([f"{step} (change the page or the service):", *wrong, "It printed:", output])


def test_the_readmes_first_requests_work(printed: dict[str, str]) -> None:
    output = printed[str(README)].replace("\r", "")
    head, _, bodies = output.partition("\n\n")
    assert head.startswith("HTTP/1.1 200 OK")
    assert re.search(r"^x-total-count: 43$", head, re.MULTILINE)
    newest, place = json.JSONDecoder().raw_decode(bodies)
    first, after = json.JSONDecoder().raw_decode(bodies, place)
    created = json.loads(bodies[after:])
    assert (len(newest), first["publicId"], created["externalId"]) == (3, "IDEA-1", "first-idea")


@pytest.mark.parametrize(
    ("page", "steps"), [("ideas", 20), ("initiatives", 20), ("research", 8), ("signals", 10), ("sync", 4)]
)
def test_a_guide_is_run(page: str, steps: int) -> None:
    assert len(PAGES[page]) >= steps


@pytest.mark.parametrize("page", PAGES)
def test_every_output_in_the_guide_belongs_to_a_command(page: str) -> None:
    steps = PAGES[page]
    silent = [step.place for step in steps if not step.form]
    assert silent == [steps[0].place], f"commands whose answer the guide does not show: {silent}"


@pytest.mark.parametrize(
    ("shown", "real", "is_shown"),
    [
        ('{"a": 1}', '{"a": 1}', True),
        ('{"a": 1}', '{"a": 1, "b": 2}', False),
        ('{"a": 1, ...}', '{"a": 1, "b": 2}', True),
        ('{"a": [...]}', '{"a": []}', True),
        ('[{...}, ...]', '[{"a": 1}, 2, 3]', True),
        ("[1]", "[1, 2]", False),
        ("[1, 2, ...]", "[1]", False),
        ('{"a": "x..."}', '{"a": "xyz"}', True),
        ('{"a": "y..."}', '{"a": "xyz"}', False),
        ('{"a": null, ...}', "{}", False),
    ],
)  # fmt: skip
def test_omitted_parts_of_an_output_are_marked(shown: str, real: str, is_shown: bool) -> None:
    assert (differences(Step("here", "", "json", shown), real) == []) is is_shown
