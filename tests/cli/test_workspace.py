"""Whole workspaces on the command line."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import WORDS, environment
from tests.cli.conftest import Site

FILE = {
    "workspace": {"slug": "filed", "name": "Filed"},
    "members": [{"key": "ada", "email": "ada@filed.test", "name": "Ada", "role": "owner"}],
    "teams": [{"key": "core", "name": "Core", "members": ["ada"]}],
}


def written(folder: Path, file_content: object) -> Path:
    file = folder / "workspace.json"
    file.write_text(json.dumps(file_content))
    return file


def test_a_workspace_is_applied_listed_exported_and_deleted(site: Site, tmp_path: Path) -> None:
    file = written(tmp_path, FILE)
    applied = site.run("workspace", "apply", file, "--json").json
    assert (applied["slug"], applied["added"], set(applied["ids"])) == ("filed", True, {"members", "teams"})
    again = site.run("workspace", "apply", file, "--json").json
    assert (again["added"], again["counts"]["teams"]["unchanged"]) == (False, 1)
    assert "filed" in {row["slug"] for row in site.run("workspace", "list", "--json").json}

    [line] = [line for line in site.run("workspace", "list").out.splitlines() if line.startswith("filed ")]
    assert "team: 1" in line

    exported = site.run("workspace", "export", "filed")
    assert json.loads(exported.out)["teams"][0]["key"] == "core"
    site.run("workspace", "apply", written(tmp_path, exported.json))
    assert site.run("workspace", "export", "filed").out == exported.out

    assert site.run("workspace", "delete", "filed").code == 2
    assert site.run("workspace", "delete", "filed", "--yes", "--json").json["removed"]["teams"] == 1
    assert "no workspace filed" in site.run("workspace", "export", "filed").refusal
    assert "no workspace filed" in site.run("workspace", "delete", "filed", "--yes").refusal


def test_a_dry_run_shows_the_values_of_fields_and_the_names_of_links(site: Site, tmp_path: Path) -> None:
    file = FILE | {"workspace": {"slug": "tried", "name": "Tried"}}
    site.run("workspace", "apply", written(tmp_path, file))
    changed = file | {"teams": [{"key": "core", "name": "Kernel", "members": []}]}
    tried = site.run("workspace", "apply", written(tmp_path, changed), "--dry-run")
    assert tried.err.splitlines() == ["~ teams core", '    name: "Core" -> "Kernel"', "    members"]


def test_standard_input_is_kept_where_nobody_else_reads_it(site: Site, tmp_path: Path) -> None:
    data = json.dumps(FILE | {"workspace": {"slug": "piped", "name": "Piped"}, "accounts": []}).encode()
    blank = b" " * 4 * 1024 * 1024  # more than a pipe and a piece hold
    with subprocess.Popen(
        [*WORDS, "workspace", "apply", "-", "--json"],
        env=environment(DATA_DIR=str(site.data)) | {"TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(data[:-1] + blank)  # so it has been read in part
        assert [one for one in os.listdir(f"/proc/{process.pid}/fd") if _is_in(process.pid, one, tmp_path)]
        assert list(tmp_path.iterdir()) == []
        out, _ = process.communicate(b"}", timeout=60)
    assert (process.returncode, json.loads(out)["counts"]["teams"]["added"]) == (0, 1)


def _is_in(pid: int, descriptor: str, folder: Path) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/fd/{descriptor}").startswith(str(folder))
    except FileNotFoundError:
        return False


def test_a_faulty_file_is_refused_with_a_line_for_each_fault_and_changes_nothing(site: Site, tmp_path: Path) -> None:
    faulty = {**FILE, "workspace": {"slug": "faulty", "name": "F"}, "teams": [{"key": "x", "nme": 1}] * 9}
    done = site.run("workspace", "apply", written(tmp_path, faulty))
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines() == [f"sightline: teams[{place}].nme: Unknown field" for place in range(9)]
    faulty["teams"] = [{"key": "x", "nme": 1}] * 130
    lines = site.run("workspace", "apply", written(tmp_path, faulty)).err.splitlines()
    assert (len(lines), lines[-1]) == (101, "sightline: and 30 more faults")
    faulty["teams"] = [{"key": "x", "nme": 1}]
    assert site.run("workspace", "apply", written(tmp_path, faulty)).refusal == "sightline: teams[0].nme: Unknown field"
    assert "faulty" not in {row["slug"] for row in site.run("workspace", "list", "--json").json}


def test_an_export_takes_the_place_of_a_new_workspace_by_the_two_commands_that_the_refusal_names(
    site: Site, tmp_path: Path
) -> None:
    move = {**FILE, "workspace": {"slug": "moving", "name": "Moving"}}
    assert site.run("workspace", "apply", written(tmp_path, move)).code == 0
    exported = site.run("workspace", "export", "moving").out
    file = tmp_path / "moving.json"
    file.write_text(exported)
    assert site.run("workspace", "delete", "moving", "--yes").code == 0
    assert site.run("init", "--slug", "moving", "--name", "New", "--owner", "ada@filed.test").code == 0
    refusal = site.run("workspace", "apply", file).refusal
    assert refusal.startswith("sightline: workspace.id: There is an empty workspace moving with another id")
    commands = [
        command.replace("FILE", str(file)).split() for command in re.findall(r"`sightline (workspace .*?)`", refusal)
    ]
    assert len(commands) == 2
    for command in commands:
        assert site.run(*command).code == 0
    assert site.run("workspace", "export", "moving").out == exported


def test_a_workspace_with_another_id_that_has_records_is_not_to_be_deleted(site: Site, tmp_path: Path) -> None:
    file = {**FILE, "workspace": {"slug": "used", "name": "Used"}}
    assert site.run("workspace", "apply", written(tmp_path, file)).code == 0
    file["workspace"] = {"slug": "used", "name": "Used", "id": "00000000-0000-4000-8000-000000000001"}
    refusal = site.run("workspace", "apply", written(tmp_path, file)).refusal
    assert refusal.endswith("The workspace used has another id; leave the id out to keep that")


def test_a_file_that_is_not_there_is_refused(site: Site) -> None:
    assert "/nonexistent.yaml" in site.run("workspace", "apply", "/nonexistent.yaml").refusal


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"workspace: {slug: a,\n  name: [\n", "The file is not YAML: "),
        (b'{"workspace": {"slug": "a",, }', "The file is not JSON: "),
        (b"- a\n", "The file has to be a mapping"),
    ],
    ids=["YAML", "JSON", "a list"],
)
def test_a_file_that_cannot_be_read_is_named(site: Site, tmp_path: Path, content: bytes, fault: str) -> None:
    file = tmp_path / "broken.yaml"
    file.write_bytes(content)
    assert site.run("workspace", "apply", file).refusal.startswith(f"sightline: {file}: ")
    assert fault in site.run("workspace", "apply", file).refusal


def test_a_pruning_file_asks_on_a_terminal_and_else_needs_a_yes(site: Site, tmp_path: Path) -> None:
    teams = [{"key": key, "name": key} for key in "abc"]
    more: dict[str, object] = {"accounts": [{"key": "globex", "name": "Globex"}]}
    site.run("workspace", "apply", written(tmp_path, {"workspace": SHORT, **more, "teams": teams}))
    file = written(tmp_path, {"workspace": SHORT, "teams": teams[:1]})
    unasked = site.run("workspace", "apply", file, "--prune")
    assert (unasked.code, "add --yes" in unasked.err) == (2, True)

    for answer, code in (("n", 1), ("y", 0)):
        done = answered(site, answer, "workspace", "apply", str(file), "--prune")
        assert done.stderr.startswith(b"teams: 2 removed, 0 added, 0 changed\nGo on?")
        assert done.returncode == code
        left = site.run("workspace", "export", "pruned").json
        assert (len(left["teams"]), len(left["accounts"])) == (1 if answer == "y" else 3, 1)

    tried = site.run("workspace", "apply", written(tmp_path, {"workspace": SHORT, "teams": []}), "--prune", "--dry-run")
    assert (tried.code, len(site.run("workspace", "export", "pruned").json["teams"])) == (0, 1)
    pruned = site.run("workspace", "apply", tmp_path / "workspace.json", "--prune", "--yes", "--json")
    assert pruned.json["counts"]["teams"]["removed"] == 1


SHORT = {"slug": "pruned", "name": "Pruned"}


def answered(site: Site, answer: str, *words: str) -> "subprocess.CompletedProcess[bytes]":
    """The command on a terminal, with an answer to its question."""
    terminal, stdin = pty.openpty()
    os.write(terminal, f"{answer}\n".encode())
    try:
        return subprocess.run(
            [*WORDS, *words],
            env=environment(DATA_DIR=str(site.data)),
            stdin=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(stdin)
        os.close(terminal)


def test_labels_that_init_made_go_when_a_file_brings_its_own(site: Site, tmp_path: Path) -> None:
    site.run("init", "--slug", "labelled", "--name", "L", "--owner", "bo@l.test")
    idea = {"key": "i", "name": "I", "description": "x", "status": "Approved"}
    apply_to(site, tmp_path, ideas=[idea])
    assert len(labels(site)) == 6
    own = [{"label": "Incoming"}, {"label": "Delivered"}, {"label": "Dropped"}]
    assert apply_to(site, tmp_path, ideaStatuses=own)["removed"] == 4
    assert labels(site) == ["Incoming", "Delivered", "Dropped", "Approved"]
    assert apply_to(site, tmp_path, ideaStatuses=own)["removed"] == 0
    apply_to(site, tmp_path, ideas=[{"key": "i", "status": "Dropped"}])
    assert apply_to(site, tmp_path, ideaStatuses=own[:1])["removed"] == 0
    assert len(labels(site)) == 4


def apply_to(site: Site, folder: Path, **lists: object) -> dict[str, int]:
    """The counts of labels after applying these lists."""
    file = written(folder, {"workspace": {"slug": "labelled", "name": "L"}, **lists})
    counts: dict[str, dict[str, int]] = site.run("workspace", "apply", file, "--json").json["counts"]
    return counts.get("ideaStatuses", {})


def labels(site: Site) -> list[str]:
    return [status["label"] for status in site.run("workspace", "export", "labelled").json["ideaStatuses"]]
