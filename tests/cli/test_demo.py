"""The sample workspace, served in one word."""

import re
from pathlib import Path

import httpx2
import pytest

from tests.cli.command import Serving, run, serving, status
from tests.waiting import wait_until


def key_of(demo: Serving) -> str:
    demo.wait_ready()
    found = re.search(r"^key +(sl_\w+)$", wait_for(demo, "try "), re.MULTILINE)
    assert found
    return found[1]


def wait_for(demo: Serving, text: str) -> str:
    wait_until(lambda: text in demo.said)
    return demo.said


@pytest.mark.slow
def test_each_start_of_the_demo_makes_a_fresh_key(place: Path) -> None:
    words = ("demo", "--data-dir", place / "data")
    with serving(place / "first", *words) as demo:
        address, first = demo.wait_ready(), key_of(demo)
        ideas = httpx2.get(
            f"{address}/api/external/v1/ideas", headers={"Authorization": f"Bearer {first}"}, verify=False
        )
        assert (ideas.status_code, len(ideas.json())) == (200, 20)
        for line in (f"api +{address}/api/external/v1", f"docs +{address}/docs", f"portal +{address}/portal/fennmark/"):
            assert re.search(f"^{line}$", demo.said, re.MULTILINE)
        again = re.search(r"^try +(curl .*)$", demo.said, re.MULTILINE)
        assert again
        assert first in again[1]
        assert len(list((place / "data/library").iterdir())) == 21
        assert run("keys", "list", "--workspace", "fennmark", DATA_DIR=str(place / "data")).code == 0
    unreachable = "postgresql://nobody@127.0.0.1:1/none"  # the demo leaves a configured database alone
    with serving(place / "second", *words, DATABASE_URL=unreachable) as demo:
        address, second = demo.wait_ready(), key_of(demo)
        assert "Loading" not in demo.said
        assert [status(address, first), status(address, second)] == [401, 200]
