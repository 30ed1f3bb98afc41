"""Whole workspaces on the command line."""

import json
from pathlib import Path

from tests.cli.conftest import Site

FILE = {
    "workspace": {"slug": "filed", "name": "Filed"},
    "members": [{"key": "ada", "email": "ada@filed.test", "name": "Ada", "role": "owner"}],
    "teams": [{"key": "core", "name": "Core", "members": ["ada"]}],
}


def written(folder: Path, wish: object) -> Path:
    file = folder / "workspace.json"
    file.write_text(json.dumps(wish))
    return file


def test_a_workspace_is_applied_listed_exported_and_deleted(site: Site, tmp_path: Path) -> None:
    file = written(tmp_path, FILE)
    applied = site.run("workspace", "apply", file, "--json").json
    assert (applied["slug"], applied["added"], set(applied["ids"])) == ("filed", True, {"members", "teams"})
    again = site.run("workspace", "apply", file, "--json").json
    assert (again["added"], again["counts"]["teams"]["unchanged"]) == (False, 1)
    assert "filed" in {row["slug"] for row in site.run("workspace", "list", "--json").json}

    exported = site.run("workspace", "export", "filed")
    assert json.loads(exported.out)["teams"][0]["key"] == "core"
    site.run("workspace", "apply", written(tmp_path, exported.json))
    assert site.run("workspace", "export", "filed").out == exported.out

    assert site.run("workspace", "delete", "filed").code == 2
    assert site.run("workspace", "delete", "filed", "--yes", "--json").json["removed"]["teams"] == 1
    assert "no workspace filed" in site.run("workspace", "export", "filed").refusal
    assert "no workspace filed" in site.run("workspace", "delete", "filed", "--yes").refusal


def test_a_faulty_file_is_refused_in_one_line_and_changes_nothing(site: Site, tmp_path: Path) -> None:
    faulty = {**FILE, "workspace": {"slug": "faulty", "name": "F"}, "teams": [{"key": "x", "nme": 1}] * 9}
    assert "teams" in site.run("workspace", "apply", written(tmp_path, faulty)).refusal
    assert "faulty" not in {row["slug"] for row in site.run("workspace", "list", "--json").json}


def test_a_file_that_is_not_there_is_refused(site: Site) -> None:
    assert "/nonexistent.yaml" in site.run("workspace", "apply", "/nonexistent.yaml").refusal
