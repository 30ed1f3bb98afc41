"""Documents on the command line, written by a real worker."""

import json
import re
from pathlib import Path

import httpx2
import pytest

from tests.cli.command import Done, Serving, run, serving
from tests.cli.conftest import Site
from tests.first_database import lay_database
from tests.waiting import wait_until

FILE = {
    "workspace": {"slug": "written", "name": "Written"},
    "teams": [{"key": "core", "name": "Core"}],
    "initiatives": [
        {"key": "out", "name": "Exports", "description": "Data out.", "number": 1, "teams": ["core"]},
        {"key": "in", "name": "Imports", "description": "Data in.", "number": 2, "teams": ["core"]},
    ],
}


@pytest.fixture(scope="module", autouse=True)
def _has_initiative(site: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("written") / "workspace.json"
    file.write_text(json.dumps(FILE))
    assert site.run("workspace", "apply", file).code == 0


def command(type: str, *words: str, initiative: str = "INITIATIVE-1", workspace: str = "written") -> list[str]:
    given = ["--workspace", workspace, "--initiative", initiative, "--type", type]
    return ["documents", "generate", *given, *words]


def generate(site: Site, type: str, *words: str, initiative: str = "INITIATIVE-1", workspace: str = "written") -> Done:
    return site.run(*command(type, *words, initiative=initiative, workspace=workspace))


def test_a_document_is_written_while_the_command_waits(site: Site) -> None:
    done = generate(site, "PRD", "--wait", "--json", initiative="initiative-1").json
    assert (done["status"], done["queued"], done["documentType"]) == ("completed", False, "PRD")
    key = site.run(
        *("keys", "create", "--workspace", "written", "--name", "reader"),
        *("--scopes", "initiatives:read", "--json"),
    ).json["key"]
    address = f"{site.address}/api/external/v1/initiatives/{done['initiativeId']}/documents/{done['documentId']}"
    document = httpx2.get(address, headers={"Authorization": f"Bearer {key}"}, verify=False).json()
    assert (document["type"], document["version"]) == ("PRD", 1)
    assert "Exports" in document["content"]

    again = generate(site, "PRD", initiative=done["initiativeId"].upper())
    assert again.refusal == "sightline: The initiative has a PRD already: --again writes a new version."
    assert generate(site, "PRD", "--again", "--wait", "--json").json["documentId"] == done["documentId"]
    assert httpx2.get(address, headers={"Authorization": f"Bearer {key}"}, verify=False).json()["version"] == 2
    trail = site.run("audit", "--workspace", "written", "--record", done["documentId"], "--json").json
    queued = [entry["actorKind"] for entry in trail if entry["action"] == "generation_queued"]
    assert queued == ["operator", "operator"]


def test_a_document_that_was_never_written_is_not_regenerated(site: Site) -> None:
    assert (
        generate(site, "PRD", "--again", initiative="INITIATIVE-2").refusal == "sightline: The initiative has no PRD."
    )


def test_without_waiting_the_receipt_says_what_is_queued(site: Site) -> None:
    receipt = generate(site, "TDD", "--json").json
    assert (receipt["operation"], receipt["status"]) == ("initiative_document_regeneration", "pending")
    assert receipt["statusUrl"].endswith(f"/initiatives/INITIATIVE-1/documents/regenerations/{receipt['jobId']}")
    shown = generate(site, "INITIATIVE_BRIEF", "--wait").out
    assert re.search(r"^initiative +INITIATIVE-1$", shown, re.MULTILINE)
    assert re.search(r"^status +completed$", shown, re.MULTILINE)


@pytest.mark.parametrize(
    ("initiative", "workspace", "said"),
    [
        ("INITIATIVE-99", "written", "There is no such record in this workspace."),
        ("IDEA-1", "written", "There is no such record in this workspace."),
        ("exports", "written", "Give a UUID or a public id like INITIATIVE-1."),
        ("INITIATIVE-1", "nowhere", "There is no workspace nowhere."),
    ],
)
def test_what_is_not_there_is_refused_in_one_line(site: Site, initiative: str, workspace: str, said: str) -> None:
    refused = generate(site, "PRD", "--wait", initiative=initiative, workspace=workspace)
    assert refused.refusal == f"sightline: {said}"


@pytest.mark.parametrize("words", [command("POEM"), command("PRD", "--timeout", "1"), command("PRD")[:-2]])
def test_wrong_usage_is_told(site: Site, words: list[str]) -> None:
    assert site.run(*words).code == 2


@pytest.mark.slow
def test_a_wait_without_a_worker_says_so_and_ends_with_what_becomes_of_the_document(place: Path) -> None:
    lay_database(data := place / "data")
    file = place / "workspace.json"
    file.write_text(json.dumps(FILE))
    run("workspace", "apply", file, DATA_DIR=str(data))
    with serving(place / "log", *command("PRD", "--wait"), DATA_DIR=str(data)) as waiting:
        wait_until(lambda: "Still waiting for a worker" in waiting.said)
        refused = run(*command("PRD", "--wait", "--timeout", "0.3"), DATA_DIR=str(data)).refusal
        assert refused == "sightline: Not written within 0.3 s. It stays queued until a worker takes it."
        [job] = run("jobs", "list", "--json", DATA_DIR=str(data)).json
        assert run("jobs", "stop", str(job["id"]), DATA_DIR=str(data)).code == 0
        with serving(place / "worker.log", "worker", DATA_DIR=str(data)):
            ended = outcome_of(waiting)
    assert ended == (1, "sightline: Nothing was written. The job was stopped.")


def outcome_of(command: Serving) -> tuple[int, str]:
    """Its exit code and the last line it said."""
    code = command.process.wait(20)
    return code, command.said.splitlines()[-1]
