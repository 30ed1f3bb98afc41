"""The file of refused lines: each has its reason, none is lost, and none is imported by mistake."""

import csv
import json
from codecs import BOM_UTF8
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.test_import import Bulk, bulk, written

__all__ = ["bulk"]


def test_refused_lines_are_mended_and_imported_again(bulk: Bulk, tmp_path: Path) -> None:
    file, rejects = tmp_path / "i.csv", tmp_path / "r.csv"
    written(file, "Title,Body,External ID,Company\nA,x,1,\nB,,2,\nC,x,3,nobody\n")
    dry = bulk.load("ideas", file, "--dry-run", "--rejects", rejects)
    assert dry.code == 1
    assert 'name: 3, such as "A", "B", "C"' in dry.out
    assert "idea" not in bulk.sizes() or bulk.sizes()["idea"] == 0
    assert rejects.read_bytes().startswith(BOM_UTF8)  # by which Excel knows the letters
    first = rejects.read_text("utf-8-sig")
    assert first.splitlines()[0] == "Title,Body,External ID,Company,reasons"
    done = bulk.load("ideas", file, "--rejects", rejects)
    assert (done.code, rejects.read_text("utf-8-sig")) == (1, first)
    assert [line.partition(",")[0] for line in first.splitlines()[1:]] == ["B", "C"]
    written(rejects, first.replace("B,,2", "B,mended,2").replace("nobody,", ","))
    assert "another one" in bulk.load("ideas", rejects, "--rejects", rejects).refusal
    again = bulk.load("ideas", rejects, "--rejects", tmp_path / "r2.csv")
    assert (again.code, (tmp_path / "r2.csv").read_text(), bulk.sizes()["idea"]) == (0, "", 3)


def test_a_cell_with_a_carriage_return_comes_back_whole(bulk: Bulk, tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_bytes(b'Title,Body,External ID,Company\nA,"x\ry",1,nobody\n')
    rejects = tmp_path / "r.csv"
    assert bulk.load("ideas", tmp_path / "i.csv", "--rejects", rejects).code == 1
    again = bulk.load("ideas", rejects, "--unknown-accounts", "create", "--json")
    assert (again.code, again.json["added"]) == (0, 1), again.err


@pytest.mark.parametrize(
    ("row", "behind", "reason"),
    [
        (b'"A"b,1\n', ['"A"b,1'], "Is not CSV"),
        (b'"A,1\nB,2\n', ['"A,1\nB,2'], "the lines 3 to 4 are read as one row"),
        (b"A\xff,1\n", ["A\ufffd,1"], "is 0xFF, which is not UTF-8"),
        (b"A\n", ["A"], "Has 1 cells; the first line has 2"),
        (b"A,1,y\n", ["A", "1", "y"], "Has 3 cells; the first line has 2"),
        (b"A," + b"x" * 8 * 1024**2 + b"\n", [""], "Is longer than 8 MiB"),
    ],
)
def test_a_row_that_fits_no_columns_stands_behind_its_reason(
    bulk: Bulk, tmp_path: Path, row: bytes, behind: list[str], reason: str
) -> None:
    file, rejects = tmp_path / "a.csv", tmp_path / "r.csv"
    file.write_bytes("name,externalId\nÖl,0\n".encode() + row)
    assert bulk.load("accounts", file, "--rejects", rejects).code == 1
    head, refused = csv.reader(StringIO(rejects.read_text("utf-8-sig"), newline=""))
    assert (head, refused[:2], refused[3:]) == (["name", "externalId", "reasons"], ["", ""], behind)
    assert reason in refused[2]
    again = bulk.load("accounts", rejects, "--rejects", tmp_path / "r2.csv")
    assert (again.code, (tmp_path / "r2.csv").read_bytes()) == (1, rejects.read_bytes())
    assert bulk.sizes()["account"] == 1


@pytest.mark.parametrize("line", ["{no json", "7", '{"externalId": "2", "externalId": "3"}'])
def test_a_line_that_is_no_object_has_its_reason_beside_it(bulk: Bulk, tmp_path: Path, line: str) -> None:
    file, rejects = written(tmp_path / "a.jsonl", line + "\n"), tmp_path / "r.jsonl"
    assert bulk.load("accounts", file, "--rejects", rejects).code == 1
    refused = json.loads(rejects.read_text())
    assert (refused["line"], len(refused["reasons"])) == (line, 1)
    assert bulk.load("accounts", rejects).code == 1


def test_half_of_a_surrogate_pair_is_written_as_it_was(bulk: Bulk, tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", '{"externalId": "1", "name": "\\ud800ö"}\n')
    assert "half of a surrogate pair" in bulk.load("accounts", file, "--rejects", tmp_path / "r.jsonl").err
    assert '"name": "\\ud800ö", "reasons": ["name: Has half' in (tmp_path / "r.jsonl").read_text()


def test_every_row_of_a_refused_record_has_a_reason(bulk: Bulk, tmp_path: Path) -> None:
    rows = "ID,Title,Details,Company\n1,A,x,\n2,B,,\n1,A,x,nobody\n2,B,,\n"
    done = bulk.load("ideas", written(tmp_path / "i.csv", rows), "--rejects", tmp_path / "r.csv", "--json")
    assert json.loads(done.out)["faulty"] == 4
    reasons: dict[str, list[str]] = {"1": [], "2": []}
    for row in csv.DictReader(StringIO((tmp_path / "r.csv").read_text("utf-8-sig"))):
        reasons[row["ID"]].append(row["reasons"])
    assert [one[1] for one in reasons.values()] == [
        "Is of the same record as line 2, which is refused",
        "Is of the same record as line 3, which is refused",
    ]
    assert [one[0].partition(":")[0] for one in reasons.values()] == ["accounts[0]", "description"]


def test_lines_with_more_faults_than_are_kept_have_a_reason(bulk: Bulk, tmp_path: Path) -> None:
    line = json.dumps({f"wrong{n}": 1 for n in range(30)}) + "\n"
    bulk.load("accounts", written(tmp_path / "a.jsonl", line * 500), "--rejects", tmp_path / "r.jsonl")
    refused = [json.loads(each) for each in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert (len(refused), min(len(each["reasons"]) for each in refused)) == (500, 1)
