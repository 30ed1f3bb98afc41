"""Importing lines: each becomes what the same record of a workspace file becomes, and is written once."""

import asyncio
from typing import Any, get_args

import pytest

from sightline.cli.records import LISTS, Kind
from sightline.imports import Import, ListReader
from sightline.platform.db import Database
from sightline.platform.errors import NotFound
from tests.imports.loading import (
    CHANGES,
    KINDS,
    NAMES,
    RECORDS,
    base,
    counts,
    csv_lines,
    every_row,
    faults,
    json_lines,
    load,
    look,
    opened,
    stored,
)
from tests.workspace_file.files import apply, exported, new_slug, small, timeless, whole

IN_ORDER = ("accounts", "signals", "insights", "ideas", "feedback")


def test_each_kind_of_the_command_is_tested_here() -> None:
    kinds = get_args(get_args(Kind)[0])
    assert {LISTS.get(kind, kind) for kind in kinds} == set(RECORDS)


async def test_lines_become_what_records_of_a_workspace_file_become(database: Database) -> None:
    file = whole()
    await apply(database, file)
    there = await exported(database, file["workspace"]["slug"])
    slug = new_slug()
    rest = {name: value for name, value in there.items() if name not in (*IN_ORDER, "portal", "research")}
    rest["workspace"] = {"slug": slug, "name": "Acme"}
    rest["studies"] = [study | {"ideas": []} for study in rest["studies"]]
    rest["integrations"] = there["integrations"]
    await apply(database, rest)
    portal = {"alias": slug, "users": [user | {"accounts": []} for user in there["portal"]["users"]]}
    await apply(database, {"workspace": {"slug": slug}, "portal": portal})
    for kind in IN_ORDER:
        done = await load(database, slug, kind, there[kind])
        assert counts(done) == (len(there[kind]), 0, 0, 0), done.faults
    here = await exported(database, slug)
    assert timeless({kind: here[kind] for kind in IN_ORDER}) == timeless({kind: there[kind] for kind in IN_ORDER})
    before = await every_row(database, slug)
    for kind in IN_ORDER:
        assert counts(await load(database, slug, kind, there[kind])) == (0, 0, len(there[kind]), 0)
    assert await every_row(database, slug) == before


@pytest.mark.parametrize("kind", KINDS)
async def test_a_record_is_known_by_its_external_id(database: Database, kind: str) -> None:
    slug = await base(database, accounts=[])
    record = RECORDS[kind]
    assert counts(await load(database, slug, kind, [record])) == (1, 0, 0, 0)
    before = await every_row(database, slug)
    assert counts(await load(database, slug, kind, [record])) == (0, 0, 1, 0)
    assert await every_row(database, slug) == before
    changed = record | CHANGES[kind]
    assert counts(await load(database, slug, kind, [changed])) == (0, 1, 0, 0)
    assert counts(await load(database, slug, kind, [changed, record | {"externalId": "x2"}])) == (1, 0, 1, 0)
    assert await stored(database, slug, kind) == 2
    trail = "SELECT string_agg(action, ' ' ORDER BY at, id) FROM changes WHERE workspace_id = $1 AND record_id ="
    first = f"(SELECT id FROM {NAMES[kind]} WHERE workspace_id = $1 AND external_id = 'x1')"  # noqa: S608
    assert await look(database, slug, f"{trail} {first}") == "created updated"


@pytest.mark.parametrize("kind", KINDS)
async def test_an_id_comes_before_a_key_and_a_key_before_an_external_id(database: Database, kind: str) -> None:
    slug = await base(database, accounts=[])
    id = "01990000-0000-7000-8000-000000000001"
    await load(database, slug, kind, [RECORDS[kind] | {"id": id, "key": "k"}])
    assert counts(await load(database, slug, kind, [RECORDS[kind] | {"key": "k"}])) == (0, 0, 1, 0)
    assert counts(await load(database, slug, kind, [RECORDS[kind] | {"key": "k", "externalId": "x9"}])) == (0, 1, 0, 0)
    assert counts(await load(database, slug, kind, [{"id": id, "key": "renamed"}])) == (0, 1, 0, 0)
    assert counts(await load(database, slug, kind, [{"key": "renamed", **CHANGES[kind]}])) == (0, 1, 0, 0)


async def test_an_idea_is_known_by_source_or_integration(database: Database) -> None:
    slug = await base(database, integrations=[{"key": "jira", "kind": "jira", "name": "Jira"}])
    idea = RECORDS["ideas"]
    lines = [idea, idea | {"sourceKey": "crm"}, idea | {"integration": "jira"}]
    assert counts(await load(database, slug, "ideas", lines)) == (3, 0, 0, 0)
    assert counts(await load(database, slug, "ideas", reversed(lines))) == (0, 0, 3, 0)
    sources = "SELECT string_agg(coalesce(source_key, '-'), ' ' ORDER BY number) FROM ideas WHERE workspace_id = $1"
    assert await look(database, slug, sources) == "import crm -"
    assert counts(await load(database, slug, "ideas", [idea], source_key="crm")) == (0, 0, 1, 0)


async def test_references_may_be_anything_that_names_a_record(database: Database) -> None:
    slug = await base(database)
    await load(database, slug, "signals", [{"key": "s", "name": "S", "account": "crm-7"}])
    id = str(await look(database, slug, "SELECT id FROM accounts WHERE workspace_id = $1"))
    ways = ["crm-7", "initech", id]
    lines = [RECORDS["feedback"] | {"externalId": way, "account": way, "study": "STUDY-1"} for way in ways]
    assert counts(await load(database, slug, "feedback", lines)) == (3, 0, 0, 0)
    insight = {"key": "i", "title": "I", "signals": ["SIGNAL-1"], "accounts": ["crm-7"]}
    assert counts(await load(database, slug, "insights", [insight])) == (1, 0, 0, 0)
    same = "SELECT count(DISTINCT account_id) FROM study_feedback WHERE workspace_id = $1"
    assert await look(database, slug, same) == 1


async def test_an_insight_may_be_merged_into_one_that_comes_later(database: Database) -> None:
    slug = await base(database)
    lines = [{"key": f"i{n}", "title": "I", "mergedInto": "last"} for n in range(1_100)]
    done = await load(database, slug, "insights", [*lines, {"key": "last", "title": "L"}, {"key": "x", "title": "X"}])
    assert counts(done) == (1_102, 0, 0, 0)
    merged = "SELECT count(merged_into) FROM insights WHERE workspace_id = $1"
    assert await look(database, slug, merged) == 1_100
    wrong = await load(database, slug, "insights", [{"key": "x", "mergedInto": "nobody"}])
    assert [(fault.line, fault.path) for fault in wrong.faults] == [(1, "mergedInto")]


async def test_counts_numbers_and_arrays_are_kept_and_nothing_starts(database: Database) -> None:
    slug = await base(database)
    more = {"product": "app", "features": ["csv"], "accounts": ["crm-7"]}
    lines: list[dict[str, Any]] = [RECORDS["ideas"] | more | {"externalId": f"{n}"} for n in range(1_500)]
    lines[700]["number"] = 5_000
    await load(database, slug, "ideas", lines)
    for statement, expected in {
        "SELECT sum(count)::int FROM record_counts WHERE workspace_id = $1 AND kind = 'idea'": 1_500,
        "SELECT count(DISTINCT number) FROM ideas WHERE workspace_id = $1": 1_500,
        "SELECT last - max(number) FROM public_numbers p JOIN ideas USING (workspace_id) WHERE workspace_id = $1"
        " AND kind = 'idea' GROUP BY last": 0,
        "SELECT count(*) FROM ideas i WHERE workspace_id = $1 AND feature_ids = ARRAY(SELECT feature_id FROM"
        " idea_features l WHERE l.idea_id = i.id) AND cardinality(account_ids) = 1": 1_500,
        "SELECT count(*) FROM changes WHERE workspace_id = $1 AND kind = 'idea' AND actor_kind = 'file'": 1_500,
        "SELECT count(*) FROM idea_questions WHERE workspace_id = $1": 0,
        "SELECT count(feature_matching) FROM ideas WHERE workspace_id = $1": 0,
    }.items():
        assert await look(database, slug, statement) == expected, statement


async def test_two_imports_of_the_same_file_store_it_once(database: Database) -> None:
    slug = await base(database)
    lines = [RECORDS["ideas"] | {"externalId": f"{n}", "accounts": ["crm-7"]} for n in range(2_500)]
    both = await asyncio.gather(*(load(database, slug, "ideas", lines) for _ in range(2)))
    assert sum(done.added for done in both) == sum(done.unchanged for done in both) == 2_500
    assert await look(database, slug, "SELECT max(number) FROM ideas WHERE workspace_id = $1") == 2_500
    count = "SELECT sum(count)::int FROM record_counts WHERE workspace_id = $1 AND kind = 'idea'"
    assert await look(database, slug, count) == 2_500


async def test_it_stops_between_batches_and_goes_on_when_it_is_repeated(database: Database) -> None:
    slug = await base(database)
    data = json_lines(RECORDS["signals"] | {"externalId": f"{n}"} for n in range(2_500))
    stop = asyncio.Event()
    importing = Import(database, slug, ListReader("signals", opened(data)), actor_id="tests")
    done = await importing.run(stop, lambda batch: stop.set())
    assert (done.lines, done.added, importing.reached) == (1_000, 1_000, 1_000)
    assert counts(await load(database, slug, "signals", data)) == (1_500, 0, 1_000, 0)


async def test_an_unknown_workspace_is_refused(database: Database) -> None:
    with pytest.raises(NotFound, match="no workspace nowhere"):
        await load(database, "nowhere", "ideas", b"")


async def test_an_idea_without_a_name_is_named_from_its_description_as_by_the_api(database: Database) -> None:
    slug = await base(database)
    line: dict[str, Any] = {"externalId": "x1", "description": "It would be great if we could export tables as CSV."}
    name = "SELECT name FROM ideas WHERE workspace_id = $1 AND external_id = 'x1'"
    assert counts(await load(database, slug, "ideas", [line])) == (1, 0, 0, 0)
    assert await look(database, slug, name) == "Export tables as CSV"
    assert counts(await load(database, slug, "ideas", [line | {"name": None}])) == (0, 0, 1, 0)
    assert counts(await load(database, slug, "ideas", [line | {"description": "Other words."}])) == (0, 1, 0, 0)
    assert await look(database, slug, name) == "Export tables as CSV"
    await apply(database, small(slug, ideas=[{"key": "file", "description": "Please add a dark mode."}]))
    assert await look(database, slug, "SELECT name FROM ideas WHERE workspace_id = $1 AND key = 'file'") == (
        "Add a dark mode"
    )


async def test_a_signal_without_a_name_is_named_by_its_content_as_by_the_api(database: Database) -> None:
    slug = await base(database)
    text = "Hallo liebes Team,\n\ndie Waage in Halle 2 druckt kein Etikett.\n\nGruß\nJo"
    turns = [{"speaker": "Iza", "text": "The scale is off."}, {"speaker": "Mo", "text": "Since when?"}]
    head = ("External ID", "Betreff", "Nachricht")
    await load(database, slug, "signals", csv_lines(head, ("s1", "", text), ("s2", "Waage", text)))
    call, none = {"externalId": "s3", "transcript": {"turns": turns}}, {"externalId": "s4"}
    assert faults(await load(database, slug, "signals", [call, none])) == {
        (2, "name"): "Is needed for a new record without a text"
    }
    again = {"externalId": "s1", "rawData": {"text": "Other words."}}
    assert counts(await load(database, slug, "signals", [again])) == (0, 1, 0, 0)
    names = "SELECT array_agg(name ORDER BY external_id) FROM signals WHERE workspace_id = $1"
    assert await look(database, slug, names) == [
        "Die Waage in Halle 2 druckt kein Etikett",
        "Waage",
        "Conversation with Iza, Mo",
    ]


async def test_a_new_idea_without_a_description_gets_no_name(database: Database) -> None:
    slug = await base(database)
    done = await load(database, slug, "ideas", [{"externalId": "x1"}])
    assert faults(done) == {(1, "description"): "Is needed for a new record"}


async def test_an_integration_goes_with_a_source_key(database: Database) -> None:
    slug = await base(database, integrations=[{"key": "jira", "kind": "jira", "name": "Jira"}])
    line = RECORDS["ideas"] | {"integration": "jira"}
    assert counts(await load(database, slug, "ideas", [line], source_key="crm")) == (1, 0, 0, 0)
    assert counts(await load(database, slug, "ideas", [line], source_key="crm")) == (0, 0, 1, 0)
    source = "SELECT source_key FROM ideas WHERE workspace_id = $1"
    assert await look(database, slug, source) == "crm"


async def test_a_dry_run_counts_a_merge_as_the_import_does(database: Database) -> None:
    slug = await base(database)
    await load(database, slug, "insights", json_lines([{"key": "a", "title": "A"}, {"key": "b", "title": "B"}]))
    merge = json_lines([{"key": "a", "mergedInto": "b"}])
    for dry_run in (True, False):
        importing = Import(database, slug, ListReader("insights", opened(merge)), actor_id="tests", dry_run=dry_run)
        assert counts(await importing.run(asyncio.Event())) == (0, 1, 0, 0), dry_run
    importing = Import(database, slug, ListReader("insights", opened(merge)), actor_id="tests", dry_run=True)
    assert counts(await importing.run(asyncio.Event())) == (0, 0, 1, 0)


async def test_a_dry_run_refuses_merges_as_the_import_does(database: Database) -> None:
    """Into a merged insight, whether it is here or in the file, and into itself."""
    slug = await base(database)
    there = [{"key": "a", "title": "A", "mergedInto": "b"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}]
    await load(database, slug, "insights", json_lines(there))
    new = [{"key": one, "title": one, "mergedInto": into} for one, into in ("da", "ef", "fg", "hh", "ic")]
    lines = json_lines([*new, {"key": "g", "title": "g"}, {"key": "b", "mergedInto": "c"}])
    found = []
    for dry_run in (True, False):
        importing = Import(database, slug, ListReader("insights", opened(lines)), actor_id="tests", dry_run=dry_run)
        found.append(faults(await importing.run(asyncio.Event())))
    assert found[0] == found[1]
    assert found[0].keys() == {(line, "mergedInto") for line in (1, 2, 4, 7)}
