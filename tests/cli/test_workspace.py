"""Whole workspaces on the command line."""

import json
import re
from pathlib import Path

import pytest

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
