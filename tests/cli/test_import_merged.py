"""Posts that another tool merged, wherever their originals are; imports that were killed; followers of an import."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cli.test_import import Bulk, bulk, written
from tests.cli.test_import_exports import twice
from tests.cli.test_import_maps import exported
from tests.waiting import wait_until

HEAD = ("Post ID", "Title", "Details", "Votes", "Voter Email", "Company", "Created", "Merged Into")
Post = Sequence[str | int]
__all__ = ["bulk"]


def posts(file: Path, *rows: Post) -> Path:
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([HEAD, *rows])
    return file


def post(id: str, into: str = "", voter: str = "", **more: str) -> Post:
    return (id, f"Post {id}", f"What {id} is about", 1, voter, "", more.get("created", "2021-05-03"), into)


@pytest.fixture
def portal(bulk: Bulk, tmp_path: Path) -> Bulk:
    """A workspace with a portal, so that voters have a place, and with a member who may create keys."""
    members = [{"key": "ada", "email": "ada@acme.test", "role": "owner"}]
    file = {"workspace": {"slug": bulk.slug}, "members": members, "portal": {"alias": bulk.slug}}
    assert bulk.site.run("workspace", "apply", written(tmp_path / "w.json", json.dumps(file))).code == 0
    return bulk


@pytest.fixture
def client(portal: Bulk) -> Iterator[httpx2.Client]:
    """Asks the API of the workspace."""
    words = (
        "keys",
        "create",
        "--workspace",
        portal.slug,
        "--name",
        "test",
        "--scopes",
        "all",
        "--json",
        "--member",
        "ada@acme.test",
    )
    headers = {"Authorization": f"Bearer {portal.site.run(*words).json['key']}"}
    with httpx2.Client(
        base_url=f"{portal.site.address}/api/external/v1", headers=headers, timeout=30, verify=False
    ) as client:
        yield client


def ideas(bulk: Bulk) -> dict[str, Any]:
    return {one["externalId"]: one for one in exported(bulk)["ideas"]}


def test_a_merged_post_may_come_before_its_original(portal: Bulk, tmp_path: Path) -> None:
    rows = [post("3", "2", "c@x.test"), post("2", "1", "b@x.test"), post("1", voter="a@x.test")]
    done = twice(portal, "ideas", posts(tmp_path / "i.csv", *rows, post("4", "1", "b@x.test")), "--from", "canny")
    assert (done["added"], done["merged"], done["votesAdded"]) == (1, 3, 3)
    [one] = ideas(portal).values()
    assert sorted(alias["externalId"] for alias in one["aliases"]) == ["2", "3", "4"]
    assert sorted(part["title"] for part in one["evidence"]) == ["Post 2", "Post 3", "Post 4"]
    emails = {user["email"] for user in exported(portal)["portal"]["users"]}
    assert emails == {"a@x.test", "b@x.test", "c@x.test"}


def test_the_original_may_be_of_an_earlier_import_or_merged_by_then(
    portal: Bulk, tmp_path: Path, client: httpx2.Client
) -> None:
    words = ("--from", "canny")
    assert twice(portal, "ideas", posts(tmp_path / "1.csv", post("1"), post("5")), *words)["added"] == 2
    assert twice(portal, "ideas", posts(tmp_path / "2.csv", post("2", "1")), *words)["merged"] == 1
    assert twice(portal, "ideas", posts(tmp_path / "3.csv", post("3", "2", "c@x.test")), *words)["merged"] == 1
    [first] = client.get("/ideas", params={"sourceKey": "canny", "externalId": "1"}).json()
    for old in ("2", "3"):
        identity = {"sourceKey": "canny", "externalId": old}
        assert client.get("/ideas", params=identity).json() == [first]
        updated = client.post("/ideas", json={**identity, "description": "Other words"})
        assert (updated.is_success, updated.json()["id"]) == (True, first["id"])
        assert (updated.json()["sourceKey"], updated.json()["externalId"]) == ("canny", "1")
        [first] = client.get("/ideas", params=identity).json()
    assert len(client.get("/ideas").json()) == 2


def test_a_merged_post_without_an_original_is_refused_and_mended(bulk: Bulk, tmp_path: Path) -> None:
    file, rejects = posts(tmp_path / "i.csv", post("1"), post("2", "9"), post("3", "1")), tmp_path / "r.csv"
    words = ("ideas", file, "--from", "canny", "--rejects", rejects)
    for more in (("--dry-run",), ()):
        done = bulk.load(*words, *more)
        assert (done.code, done.err) == (1, "line 3: mergedInto: There is no idea '9', and no line adds it\n")
        assert "1 added, 0 changed, 0 unchanged, 1 faulty" in done.out
        assert [line.partition(",")[0] for line in rejects.read_text("utf-8-sig").splitlines()] == ["Post ID", "2"]
    mended = written(tmp_path / "mended.csv", rejects.read_text("utf-8-sig").replace(",9,", ",1,"))
    assert bulk.load("ideas", mended, "--from", "canny").code == 0
    assert {alias["externalId"] for alias in ideas(bulk)["1"]["aliases"]} == {"2", "3"}


def test_all_rows_of_a_merged_post_are_merged_or_refused(portal: Bulk, tmp_path: Path) -> None:
    rows = [
        post("2", "1", "b@x.test"),
        post("1"),
        post("3", "9"),
        post("2", "1", "c@x.test"),
        post("3", "9", "d@x.test"),
    ]
    file, rejects = posts(tmp_path / "i.csv", *rows), tmp_path / "r.csv"
    done = json.loads(portal.load("ideas", file, "--from", "canny", "--rejects", rejects, "--json").out)
    found = [done[name] for name in ("lines", "added", "merged", "united", "faulty", "votesAdded")]
    assert found == [5, 1, 1, 1, 2, 2]
    assert [line.partition(",")[0] for line in rejects.read_text("utf-8-sig").splitlines()] == ["Post ID", "3", "3"]


def test_a_merged_post_that_is_an_idea_already_is_refused_alone(bulk: Bulk, tmp_path: Path) -> None:
    assert bulk.load("ideas", posts(tmp_path / "old.csv", post("1"), post("2")), "--from", "canny").code == 0
    file = posts(tmp_path / "new.csv", post("2", "1"), post("1"), post("3", "1"))
    for more in (("--dry-run",), ()):
        done = bulk.load("ideas", file, "--from", "canny", *more)
        assert done.code == 1
        assert done.err == "line 2: aliases[0].externalId: Is the identity of IDEA-2\n"
    assert [alias["externalId"] for alias in ideas(bulk)["1"]["aliases"]] == ["3"]


def test_posts_that_are_merged_into_each_other_have_no_original(bulk: Bulk, tmp_path: Path) -> None:
    done = bulk.load("ideas", posts(tmp_path / "i.csv", post("1", "2"), post("2", "1")), "--from", "canny")
    assert (done.code, len(done.err.splitlines())) == (1, 2)
    assert "There is no idea" in done.err


def test_what_insights_are_merged_into_is_checked_by_a_dry_run_and_goes_to_the_rejects(
    bulk: Bulk, tmp_path: Path
) -> None:
    rows = "key,title,mergedInto\na,A,z\nb,B,nobody\nc,C,bad\nbad,,\n" + "".join(f"k{n},K,\n" for n in range(1_500))
    file, rejects = written(tmp_path / "i.csv", rows + "z,Z,\n"), tmp_path / "r.csv"
    for more in (("--dry-run",), ()):
        done = bulk.load("insights", file, "--rejects", rejects, "--json", *more)
        lines = done.err.splitlines()
        assert [line.partition(": ")[0] for line in lines] == ["line 5", "line 3", "line 4"]
        assert "There is no 'nobody' in insights" in lines[1]
        assert [line.partition(",")[0] for line in rejects.read_text("utf-8-sig").splitlines()] == [
            "key",
            "bad",
            "b",
            "c",
        ]
        assert json.loads(done.out)["faulty"] == 3
    found = {one["key"]: one for one in exported(bulk)["insights"]}
    assert (found["a"]["mergedInto"], found["b"]["mergedInto"]) == (found["z"]["id"], None)


def large(file: Path, count: int) -> Path:
    """Writes posts, of which every tenth has a second row, every hundredth is merged, and line 5,003 is faulty."""
    rows = [post(f"{n}", f"{n - 1}" if n % 100 == 99 else "", f"v{n % 50}@x.test") for n in range(count)]
    rows[5_001] = (*rows[5_001][:6], "no date", "")
    return posts(file, *rows, *(post(f"{n}", voter="w@x.test") for n in range(0, count, 10)))


@pytest.mark.slow
def test_an_import_with_a_map_that_is_killed_goes_on_where_it_was(portal: Bulk, tmp_path: Path) -> None:
    file, whole = large(tmp_path / "i.csv", 8_000), 8_000 - 80
    for stored in (1_000, 4_000):
        with portal.loading(file, "--from", "canny") as process:
            wait_until(lambda stored=stored: portal.sizes().get("idea", 0) >= stored)  # type: ignore[misc]  # by value
            process.kill()
    done = portal.load("ideas", file, "--from", "canny", "--json")
    result = json.loads(done.out)
    assert (done.code, [fault["line"] for fault in result["faults"]]) == (1, [5_003])
    assert (result["added"] + result["unchanged"], result["merged"], result["united"]) == (whole - 1, 80, 800)
    file_ = exported(portal)
    found = {one["externalId"]: one for one in file_["ideas"]}
    assert (len(file_["ideas"]), len(found), len({one["number"] for one in found.values()})) == (whole - 1,) * 3
    assert [alias["externalId"] for alias in found["98"]["aliases"]] == ["99"]
    assert len(file_["portal"]["votes"]) == whole - 1 + 80 + 800
    again = json.loads(portal.load("ideas", file, "--from", "canny", "--json").out)
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, whole - 1)
    assert exported(portal) == file_


@pytest.mark.slow
def test_who_follows_the_changes_sees_everything_that_is_imported(
    portal: Bulk, tmp_path: Path, client: httpx2.Client
) -> None:
    """Records are dated in the past, and posts are merged at the end."""
    rows = [post(f"{n}", "7" if n % 500 == 499 else "", created=f"20{10 + n % 9}-05-03") for n in range(4_000)]
    copy, since, rounds = {}, "2000-01-01", 0

    def follow() -> None:
        nonlocal since
        address: str | None = f"/ideas?limit=100&updatedSince={since}"
        while address:
            answer = client.get(address)
            for idea in answer.json():
                copy[idea["id"]] = idea
                since = max(since, idea["updatedAt"])
            link = answer.headers.get("link")
            address = link and link.removeprefix("<").partition(">")[0]

    for file in (posts(tmp_path / "1.csv", *rows), posts(tmp_path / "2.csv", post("7", created="2009-01-01"))):
        with portal.loading(file, "--from", "canny") as process:
            while process.poll() is None:
                follow()
                rounds += 1
            assert process.returncode == 0
    follow()
    assert rounds > 3
    shown = [idea for offset in range(0, 4_000, 100) for idea in client.get(f"/ideas?limit=100&offset={offset}").json()]
    assert len(shown) == 4_000 - 8
    assert copy == {idea["id"]: idea for idea in shown}


@pytest.mark.slow
def test_who_follows_the_signals_sees_everything_that_is_imported(
    portal: Bulk, tmp_path: Path, client: httpx2.Client
) -> None:
    copy, since, rounds = {}, "2000-01-01", 0

    def follow() -> None:
        nonlocal since
        address: str | None = f"/signals?limit=100&updatedSince={since}"
        while address:
            answer = client.get(address)
            for signal in answer.json():
                copy[signal["id"]] = signal["name"]
                since = max(since, signal["updatedAt"])
            link = answer.headers.get("link")
            address = link and link.removeprefix("<").partition(">")[0]

    for turn in ("Old", "New"):
        rows = "".join(f"{n},{turn} {n},text,20{10 + n % 9}-05-03\n" for n in range(3_000))
        file = written(tmp_path / f"{turn}.csv", "externalId,name,text,createdAt\n" + rows)
        with portal.loading(file, kind="signals") as process:
            while process.poll() is None:
                follow()
                rounds += 1
            assert process.returncode == 0
    follow()
    assert rounds > 3
    assert sorted(copy.values()) == sorted(f"New {n}" for n in range(3_000))
