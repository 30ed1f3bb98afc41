"""Bulk import on the command line, beside a running server."""

import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, Any

import pytest

from tests.cli.command import WORDS, Done, environment, run
from tests.cli.conftest import Site
from tests.waiting import wait_until

BASE = {"products": [{"key": "app", "name": "App"}], "studies": [{"key": "talks", "name": "Talks"}]}
SUBJECT = {"type": "product", "id": "app"}
FEEDBACK = {"study": "talks", "metric": "ease", "subject": SUBJECT, "submittedAt": "2026-03-01"}
COUNTS = ("lines", "added", "changed", "unchanged", "faulty")
_turns = count()


@dataclass(frozen=True)
class Bulk:
    """A workspace to import into."""

    site: Site
    slug: str

    def load(self, *words: str | Path) -> Done:
        return self.site.run("import", *words, "--workspace", self.slug)

    def sizes(self) -> dict[str, int]:
        [found] = [row for row in self.site.run("workspace", "list", "--json").json if row["slug"] == self.slug]
        counts: dict[str, int] = found["counts"]
        return counts

    @contextmanager
    def loading(
        self, file: str | Path, *words: str, kind: str = "ideas", error: Any = subprocess.PIPE
    ) -> Iterator[subprocess.Popen[bytes]]:
        """An import that goes on meanwhile."""
        process = subprocess.Popen(
            [*WORDS, "import", kind, str(file), *words, "--workspace", self.slug],
            env=environment(DATA_DIR=str(self.site.data)),
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=error,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


@pytest.fixture
def bulk(site: Site) -> Bulk:
    slug = f"bulk-{next(_turns)}"
    site.records.apply(slug, **BASE)
    return Bulk(site, slug)


def lines(rows: int, **more: Any) -> str:
    records = (
        {"externalId": f"x{n}", "name": f"Idea {n}", "description": "What it is about. " * 5} for n in range(rows)
    )
    return "".join(json.dumps(record | more) + "\n" for record in records)


def write(pipe: "IO[bytes] | None", text: str) -> None:
    assert pipe is not None
    pipe.write(text.encode())
    pipe.flush()


def test_every_kind_is_imported_from_json_lines_and_csv(bulk: Bulk, tmp_path: Path) -> None:
    files: dict[str, tuple[str, str]] = {
        "accounts": ("a.csv", "externalId,name\nglobex,Globex\n"),
        "signals": ("s.jsonl", '{"externalId": "s", "name": "A call", "account": "globex"}\n'),
        "insights": ("i.csv", 'externalId,title,accounts\ni,"Slow, very",globex\n'),
        "ideas": ("i.data", lines(2, accounts=["globex"])),
        "feedback": ("f.ndjson", json.dumps(FEEDBACK | {"externalId": "f", "rating": 8, "account": "globex"})),
    }
    for kind, (name, text) in files.items():
        (tmp_path / name).write_text(text)
        done = bulk.load(kind, tmp_path / name, "--json").json
        rows = 2 if kind == "ideas" else 1
        assert done.pop("seconds") >= 0
        found = {name: done[name] for name in ("kind", *COUNTS, "faults")}
        assert found == dict(kind=kind, lines=rows, added=rows, changed=0, unchanged=0, faulty=0, faults=[])
    again = bulk.load("ideas", tmp_path / "i.data")
    assert (again.code, again.err) == (0, "")
    assert "0 added, 0 changed, 2 unchanged, 0 faulty" in again.out
    assert bulk.load("accounts", tmp_path / "a.csv").out.startswith("1 line of accounts in ")
    assert bulk.sizes() | {"product": 1} == {
        "product": 1, "account": 1, "signal": 1, "insight": 1, "idea": 2, "study_feedback": 1,
    }  # fmt: skip


def test_each_kind_is_exported_and_ratings_is_another_name_of_feedback(bulk: Bulk, tmp_path: Path) -> None:
    file = tmp_path / "ratings.jsonl"
    bulk.load("accounts", written(tmp_path / "a.csv", "externalId,name\nglobex,=1+1\n"))
    bulk.load("ratings", written(file, json.dumps(FEEDBACK | {"externalId": "f", "rating": 8})))
    for words in (("feedback",), ("ratings", "--format", "jsonl")):
        done = bulk.site.run("export", *words, "--workspace", bulk.slug)
        assert (done.code, json.loads(done.out)["rating"]) == (0, 8)
    cells = bulk.site.run("export", "accounts", "--workspace", bulk.slug, "--format", "csv").out.splitlines()
    assert (len(cells), ",globex,'=1+1," in cells[1]) == (2, True)
    assert "no workspace nowhere" in bulk.site.run("export", "ideas", "--workspace", "nowhere").refusal
    assert bulk.site.run("export", "teams", "--workspace", bulk.slug).code == 2


def written(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


def test_faults_are_told_by_line_and_end_with_1(bulk: Bulk, tmp_path: Path) -> None:
    file = tmp_path / "ideas.jsonl"
    file.write_text(lines(1) + "{}\n" + '{"key": "k", "nme\x1b": 1}\n' + lines(2))
    done = bulk.load("ideas", file, "--json")
    found = json.loads(done.out)
    assert (done.code, found["added"], found["faulty"]) == (1, 2, 3)
    assert [fault["line"] for fault in found["faults"]] == [2, 2, 3, 4]
    reported = [line.partition(":")[0] for line in done.err.splitlines()]
    assert reported == ["line 2", "line 2", "line 3", "line 4"]
    assert "\x1b" not in done.err


def test_a_file_that_is_imported_again_without_its_source_is_warned_of(bulk: Bulk, tmp_path: Path) -> None:
    file = tmp_path / "ideas.jsonl"
    file.write_text(lines(30))
    assert bulk.load("ideas", file, "--source-key", "old forum").err == ""
    assert bulk.load("ideas", file, "--source-key", "old forum").err == ""
    file.write_text(lines(31) + json.dumps({"key": "k", "name": "K", "description": "D"}) + "\n")
    done = bulk.load("ideas", file)
    assert done.err == (
        "Warning: 30 of the first 32 ideas are there with the sourceKey 'old forum' and are added again with 'import': "
        "to update those, run it with --source-key 'old forum'.\n"
    )
    assert (done.code, bulk.sizes()["idea"]) == (0, 30 + 32)
    assert bulk.load("ideas", file).err == ""
    other = tmp_path / "other.jsonl"
    other.write_text('{"externalId": "another", "name": "A", "description": "D"}\n')
    assert bulk.load("ideas", other).err == ""


def test_what_cannot_be_imported_is_refused(bulk: Bulk, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("key,nme\n")
    words = ("accounts", tmp_path / "a.csv")
    refusal = bulk.load(*words, "--strict").refusal
    assert "'nme' is no field of accounts. The fields are id, key, number, externalId, name" in refusal
    assert "'nme'" in bulk.load("accounts", written(tmp_path / "b.csv", "nme,nome\n")).refusal
    assert "rawData.text" in bulk.load("signals", written(tmp_path / "c.csv", "nme,nome\n")).refusal
    assert "no workspace nowhere" in bulk.site.run("import", *words, "--workspace", "nowhere").refusal
    assert "/nonexistent" in bulk.load("ideas", "/nonexistent").refusal
    assert bulk.load("teams", tmp_path / "a.csv").code == 2
    assert bulk.load(*words, "--source-key", "").code == 2
    assert run("import", "ideas", "/dev/null", DATA_DIR=str(bulk.site.data)).code == 2


def test_ctrl_c_ends_it_between_batches_and_says_how_far_it_came(bulk: Bulk) -> None:
    with bulk.loading("-", "--json") as process:
        write(process.stdin, lines(2_500))
        wait_until(lambda: bulk.sizes().get("idea") == 2_000)
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.read())["added"] == 2_000
        assert process.stderr.read().startswith(b"Interrupted after line 2000: ")


@pytest.mark.slow
def test_after_kills_the_same_command_does_the_rest(bulk: Bulk, tmp_path: Path) -> None:
    file = tmp_path / "ideas.jsonl"
    file.write_text(lines(5_000))
    with bulk.loading("-") as process:
        write(process.stdin, lines(2_500))
        wait_until(lambda: bulk.sizes().get("idea") == 2_000)
        process.kill()
    for stored in (3_000, 4_000):
        with bulk.loading(file) as process:
            wait_until(lambda stored=stored: bulk.sizes()["idea"] >= stored)  # type: ignore[misc]  # by value
            process.kill()
    done = bulk.load("ideas", file, "--json").json
    assert (done["unchanged"] >= 2_000, done["added"] + done["unchanged"]) == (True, 5_000)
    assert bulk.sizes()["idea"] == 5_000
    ideas = json.loads(bulk.site.run("workspace", "export", bulk.slug).out)["ideas"]
    assert {idea["externalId"] for idea in ideas} == {f"x{n}" for n in range(5_000)}
    assert len({idea["number"] for idea in ideas}) == len(ideas) == 5_000


def test_a_bar_is_drawn_on_a_terminal(bulk: Bulk, tmp_path: Path) -> None:
    file = tmp_path / "ideas.jsonl"
    file.write_text(lines(3_000))
    ours, theirs = pty.openpty()
    with bulk.loading(file, error=theirs) as process:
        os.close(theirs)
        shown = b""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                shown += os.read(ours, 65_536)
            except OSError:  # the terminal is closed by its last user
                break
        assert process.wait(5) == 0
    os.close(ours)
    assert b"Importing ideas" in shown
    assert b"MB/s" in shown or b"kB/s" in shown
