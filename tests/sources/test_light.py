"""What only a search needs is loaded by the first search, not by the start of a process."""

import subprocess
import sys
from pathlib import Path

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


def test_a_search_of_the_library_loads_none_beside_the_jobs(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>Workshops send the estimate by text, and the customer gives approval.</p>")
    (tmp_path / "b.mht").write_text("Content-Type: text/html\n\n<p>Approval.</p>")
    (tmp_path / "c.rss").write_text("<rss version='2.0'><channel><item><title>Approval</title></item></channel></rss>")
    code = f"""
import asyncio, sys
from pathlib import Path
from sightline.sources.library.library import Library
from sightline.sources.search import SearchQuery
library = Library(Path({str(tmp_path)!r}), Path({str(tmp_path / "index")!r}), update_seconds=100, wait_seconds=100)
found = asyncio.run(library.search(SearchQuery(text="approval")))
print(len(found.hits), [name for name in {HEAVY} if name in sys.modules])"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "2 []"
