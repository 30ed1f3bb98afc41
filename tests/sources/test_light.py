"""What only a search needs is loaded by the first search, not by the start of a process."""

import subprocess
import sys

import pytest

HEAVY = ("lxml", "trafilatura", "htmldate", "feedparser", "warcio", "justext")


@pytest.mark.parametrize("module", ["sightline.app", "sightline.worker"])
def test_the_start_of_a_process_loads_no_parser(module: str) -> None:
    code = f"import sys, {module}; print([name for name in {HEAVY} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_planning_in_english_loads_none_either() -> None:
    code = f"""
import asyncio, sys
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.research import PlanContext
asyncio.run(EmbeddedResearcher().plan("How do shops ask for approval in Norway?", PlanContext()))
print([name for name in {HEAVY} if name in sys.modules])"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
