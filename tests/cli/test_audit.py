"""The trail on the command line."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cli.conftest import Site


def test_the_trail_tells_who_did_what(site: Site) -> None:
    key = site.make_key(name="trail")
    trail = site.run("audit", "--workspace", "acme", "--record", key["id"], "--json").json
    assert [(entry["kind"], entry["action"], entry["actorKind"]) for entry in trail] == [
        ("api_key", "created", "operator")
    ]
    assert f"created  api_key {key['id']}" in site.run("audit", "--workspace", "acme").out
    assert site.run("audit", "--workspace", "acme", "--since", "2099-01-01", "--json").json == []
    assert site.run("audit", "--workspace", "acme", "--since", "2099-01-01").err == "No changes are recorded.\n"
    assert "IDEA-1" in site.run("audit", "--workspace", "acme", "--record", "what?").refusal


def test_the_trail_of_a_record_has_what_belongs_to_it(site: Site) -> None:
    def send(method: str, path: str, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {key}"}
        answer = httpx2.request(method, f"{api}{path}", headers=headers, json=body or None, timeout=30, verify=False)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    key = site.make_key("--member", "ada@acme.test")["key"]
    api = f"{site.address}/api/external/v1"
    idea = send("POST", "/ideas", description="Export tables as CSV.")["publicId"]
    kept = send("POST", f"/ideas/{idea}/comments", body="Kept")["id"]
    gone = send("POST", f"/ideas/{idea}/comments", body="Gone")["id"]
    send("DELETE", f"/ideas/{idea}/comments/{gone}")
    evidence = send("POST", f"/ideas/{idea}/evidence", title="Asked for twice")["id"]
    send("PATCH", f"/ideas/{idea}/evidence/{evidence}", role="contradicts")
    other = send("POST", "/ideas", description="Dark mode.")["publicId"]
    send("POST", f"/ideas/{other}/comments", body="Elsewhere")
    trail = site.run("audit", "--workspace", "acme", "--record", idea, "--json").json
    assert [(entry["kind"], entry["action"]) for entry in trail] == [
        ("idea", "created"),
        ("idea_comment", "created"),
        ("idea_comment", "created"),
        ("idea_comment", "deleted"),
        ("idea_evidence", "created"),
        ("idea_evidence", "updated"),
    ]
    assert [entry["recordId"] for entry in trail[1:]] == [kept, gone, gone, evidence, evidence]
    send("DELETE", f"/ideas/{idea}")
    after = site.run("audit", "--workspace", "acme", "--record", idea, "--json").json
    assert after[:-1] == trail
    assert (after[-1]["kind"], after[-1]["action"]) == ("idea", "deleted")


def test_the_trail_of_a_deleted_idea_has_the_parts_that_a_file_gave_it(site: Site, tmp_path: Path) -> None:
    idea: dict[str, Any] = {"key": "i", "number": 700, "description": "Export tables."}
    idea["questions"] = [{"key": "q", "question": "Which?"}]
    idea["comments"] = [{"key": "c", "body": "Asked for.", "author": "ada"}]
    idea["evidence"] = [{"key": "e", "title": "Asked for"}]
    file = tmp_path / "workspace.json"
    member = {"key": "ada", "email": "ada@acme.test", "name": "Ada", "role": "owner"}
    content = {"workspace": {"slug": "parts", "name": "Parts"}, "members": [member], "ideas": [idea]}
    file.write_text(json.dumps(content))
    assert site.run("workspace", "apply", file).code == 0
    file.write_text(json.dumps(content | {"ideas": [], "prune": ["ideas"]}))
    assert site.run("workspace", "apply", file).code == 0
    trail = site.run("audit", "--workspace", "parts", "--record", "IDEA-700", "--json").json
    assert sorted((entry["kind"], entry["action"]) for entry in trail) == [
        ("idea", "created"),
        ("idea", "deleted"),
        ("idea_comment", "created"),
        ("idea_evidence", "created"),
        ("idea_question", "created"),
    ]


@pytest.mark.parametrize("record", ["019a0000-0000-7000-8000-000000000000", "IDEA-4711"])
def test_the_trail_of_a_record_that_never_was_is_refused(site: Site, record: str) -> None:
    refused = site.run("audit", "--workspace", "acme", "--record", record, "--json")
    assert refused.refusal == f"sightline: There is no record {record} in this workspace."


def test_a_record_whose_changes_are_all_older_is_there(site: Site) -> None:
    key = site.make_key(name="older")["id"]
    words = ("audit", "--workspace", "acme", "--record", key, "--since", "2099-01-01")
    assert site.run(*words, "--json").json == []
    assert site.run(*words).err == "No changes are recorded.\n"
