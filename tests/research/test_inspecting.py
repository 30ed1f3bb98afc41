"""The list and the six views: what each needs and takes, and that reading starts nothing."""

from secrets import token_hex
from uuid import uuid4

import pytest

from tests.research.lab import EXPORTS, FORECASTS, MISSING, Json, Lab, code, exports, faults, section

SETTLED = {"view", "fromDateTime", "toDateTime", "definition", "reviewThemes", "scores", "run"}


async def test_each_view_has_its_body(lab: Lab) -> None:
    run = await lab.searched(section(), exports())
    brief_id, of_run = run["briefId"], {"runId": run["id"]}
    assert (await lab.view(brief_id)).keys() == {"view", "brief"}
    assert await lab.view(brief_id, "progress") == {"view": "progress", "run": run}
    assert await lab.view(brief_id, "progress", **of_run) == {"view": "progress", "run": run}
    shown = await lab.view(brief_id, "run", **of_run)
    assert (set(shown), shown["run"], shown["reviewThemes"], shown["scores"]) == (SETTLED, run, [], [])
    assert await lab.view(brief_id, "runs") == {
        "view": "runs",
        "items": [run],
        "hasMore": False,
        "nextCursor": None,
    }
    found = await lab.view(brief_id, "findings", **of_run, sectionId=EXPORTS)
    assert (set(found), len(found["items"])) == ({"view", "answer", "items", "pagination"}, 1)
    records = await lab.view(brief_id, "records", **of_run)
    pagination = {"total": 0, "limit": 10, "offset": 0, "hasMore": False}
    assert records == {"view": "records", "items": [], "pagination": pagination}


async def test_a_brief_without_a_run_has_no_progress(lab: Lab) -> None:
    await lab.world.add(research=[{"key": "old", "name": "Old"}])
    brief_id = (await lab.world.ids("research_briefs"))["old"]
    assert await lab.view(brief_id, "progress") == {"view": "progress", "run": None}
    assert (await lab.view(brief_id, "runs"))["items"] == []
    assert (await lab.brief(brief_id))["lastRun"] is None


NEEDED = {"run": ["runId"], "findings": ["runId", "sectionId"], "records": ["runId"]}
VIEWS = ("brief", "progress", "runs", "run", "findings", "records")


@pytest.mark.parametrize("view", NEEDED)
async def test_a_view_names_what_it_needs(lab: Lab, view: str) -> None:
    address = f"/research/{(await lab.start())['briefId']}"
    assert faults(await lab.client.get(address, params={"view": view})) == NEEDED[view]


@pytest.mark.parametrize("view", VIEWS)
async def test_a_parameter_that_a_view_does_not_use_is_checked_and_has_no_effect(lab: Lab, view: str) -> None:
    runs = await history(lab, 2)
    run = runs[-1]
    cursor = (await lab.view(run["briefId"], "runs", limit=1))["nextCursor"]
    everything = {"runId": run["id"], "sectionId": FORECASTS, "limit": 5, "cursor": cursor}
    used = {"run": ["runId"], "findings": ["runId", "sectionId"], "runs": ["cursor"]}
    used |= {"records": ["runId", "sectionId"], "progress": ["runId"]}
    needed = {name: everything[name] for name in used.get(view, [])} | {"limit": 5}
    assert await lab.view(run["briefId"], view, **everything) == await lab.view(run["briefId"], view, **needed)
    for wrong in ({"runId": "1"}, {"sectionId": "x"}, {"cursor": "x"}, {"offset": -1}, {"limit": 51}):
        query = {"view": view, **everything, **wrong}
        assert faults(await lab.client.get(f"/research/{run['briefId']}", params=query)) == list(wrong)


async def test_what_is_not_there_is_not_found(lab: Lab) -> None:
    run, other = await lab.searched(), await lab.searched()
    for query in (
        {"view": "run", "runId": MISSING},
        {"view": "run", "runId": other["id"]},
        {"view": "progress", "runId": other["id"]},
        {"view": "findings", "runId": run["id"], "sectionId": MISSING},
        {"view": "records", "runId": run["id"], "sectionId": MISSING},
    ):
        answer = await lab.client.get(f"/research/{run['briefId']}", params=query)
        assert code(answer) == (404, "NOT_FOUND"), query
    for view in VIEWS:
        query = {"view": view, **dict.fromkeys(NEEDED.get(view, []), MISSING)}
        assert code(await lab.client.get(f"/research/{uuid4()}", params=query)) == (404, "NOT_FOUND"), view
    assert code(await lab.client.get("/research/BRIEF-1")) == (400, "INVALID_REFERENCE")


async def test_findings_are_paged(lab: Lab) -> None:
    run = await lab.searched()
    every = await lab.findings(run)
    query = {"runId": run["id"], "sectionId": FORECASTS, "limit": 1}
    pages = [await lab.view(run["briefId"], "findings", **query, offset=offset) for offset in range(3)]
    assert [page["items"] for page in pages] == [every["items"][:1], every["items"][1:], []]
    assert [page["pagination"]["hasMore"] for page in pages] == [True, False, False]
    assert pages[2]["pagination"] == {"total": 2, "limit": 1, "offset": 2, "hasMore": False}


async def test_large_findings_and_reviews_are_all_shown(lab: Lab) -> None:
    finding: Json = {"title": "Slow", "url": "https://a.test/1", "publisher": "A", "retrievedAt": "2026-11-01"}
    finding |= {"relevance": {"score": 0.9, "reason": "r"}, "observations": [{"text": "t", "quote": token_hex(15_000)}]}
    finding |= {"provenance": {"provider": "library", "query": "q", "contentHash": "0" * 64, "engine": "embedded 1"}}
    review: Json = {"externalId": "12345", "label": "App", "rating": 3, "title": "Slow", "body": token_hex(15_000)}
    review |= {"storefront": "us", "submittedAt": "2026-10-01"}
    run: Json = {"id": str(uuid4()), "status": "completed", "startedAt": "2026-11-01", "finishedAt": "2026-11-01"}
    section: Json = {"id": str(uuid4()), "name": "S", "type": "custom"}
    section["findings"] = [finding | {"id": str(uuid4())} for _ in range(20)]
    run |= {"sections": [section], "records": [review | {"id": str(uuid4())} for _ in range(20)]}
    await lab.world.add(research=[{"key": "large", "name": "Large", "runs": [run]}])
    brief_id = (await lab.world.ids("research_briefs"))["large"]
    for view in ("findings", "records"):
        shown = await lab.view(brief_id, view, runId=run["id"], sectionId=section["id"], limit=50)
        assert len(shown["items"]) == shown["pagination"]["total"] == 20


async def history(lab: Lab, count: int = 5) -> list[Json]:
    """The runs of one brief, the newest first."""
    runs = [await lab.searched()]
    for version in range(1, count):
        edit = {"briefId": runs[0]["briefId"], "expectedRowVersion": version}
        started = (await lab.run("start", **lab.new(), **edit)).json()["run"]
        await lab.search(started)
        runs.append(await lab.progress(started["briefId"]))
    return runs[::-1]


async def test_the_history_is_followed_by_cursor(lab: Lab) -> None:
    runs = await history(lab)
    brief_id, found, cursor = runs[0]["briefId"], list[Json](), None
    while True:
        page = await lab.view(brief_id, "runs", limit=2, **({"cursor": cursor} if cursor else {}))
        found += page["items"]
        assert page["hasMore"] is (page["nextCursor"] is not None)
        if len(found) == 2:  # a run that comes meanwhile moves nothing
            edit = {"briefId": brief_id, "expectedRowVersion": 5}
            await lab.run("start", **lab.new(), **edit)
        if (cursor := page["nextCursor"]) is None:
            break
    assert found == runs


async def test_a_cursor_is_valid_for_its_own_brief_only(lab: Lab) -> None:
    runs, other = await history(lab, 2), await history(lab, 2)
    cursor = (await lab.view(runs[0]["briefId"], "runs", limit=1))["nextCursor"]
    for brief_id, wrong in (
        (other[0]["briefId"], cursor),
        (runs[0]["briefId"], cursor[:-2]),
        (runs[0]["briefId"], ""),
        (runs[0]["briefId"], "x" * 1_000),
        (runs[0]["briefId"], "x" * 1_001),
    ):
        answer = await lab.client.get(f"/research/{brief_id}", params={"view": "runs", "cursor": wrong})
        assert faults(answer) == ["cursor"]
    brief_id = runs[0]["briefId"]
    assert await lab.view(brief_id, "runs", offset=1) == await lab.view(brief_id, "runs")


@pytest.mark.parametrize("path", ["/research", "/research/{}"])
async def test_pages_have_one_to_fifty_items(lab: Lab, path: str) -> None:
    address = path.format((await lab.searched())["briefId"])
    for limit in (1, 50):
        assert code(await lab.client.get(address, params={"limit": limit})) == (200, "")
    for wrong in (0, 51, "x"):
        assert faults(await lab.client.get(address, params={"limit": wrong})) == ["limit"]
    assert faults(await lab.client.get(address, params={"offset": -1})) == ["offset"]
    assert faults(await lab.client.get(address, params={"depth": 1})) == ["depth"]


async def test_the_list_shows_the_newest_first(lab: Lab) -> None:
    runs = [await lab.searched() for _ in range(3)]
    listed = (await lab.client.get("/research")).json()
    assert [one["id"] for one in listed["items"]] == [run["briefId"] for run in runs[::-1]]
    assert listed["pagination"] == {"total": 3, "limit": 10, "offset": 0, "hasMore": False}
    first = listed["items"][0]
    assert first.keys() == {
        *("id", "name", "state", "rowVersion", "cadence", "nextRunAt", "lastRun", "createdAt", "updatedAt")
    }
    last = {"id": runs[-1]["id"], "status": "completed", "finishedAt": runs[-1]["finishedAt"]}
    assert (first["state"], first["lastRun"]) == ("draft", last)
    answer = await lab.client.get("/research", params={"limit": 1, "offset": 1})
    page = answer.json()
    assert [one["id"] for one in page["items"]] == [runs[1]["briefId"]]
    assert page["pagination"] == {"total": 3, "limit": 1, "offset": 1, "hasMore": True}
    last_page = await lab.client.get(answer.links["next"]["url"])
    assert [one["id"] for one in last_page.json()["items"]] == [runs[0]["briefId"]]
    assert "link" not in last_page.headers


async def test_the_search_finds_names_questions_subjects_and_scopes(lab: Lab) -> None:
    started = await lab.run(
        "start", **{**lab.new(section(scope={"geography": "Norway"})), "name": "Vegetables of the north"}
    )
    await lab.start()
    for words in ("vegetables", "NORTH vegetables", "planners", "demand", "norway"):
        found = (await lab.client.get("/research", params={"q": words})).json()["items"]
        assert started.json()["briefId"] in [one["id"] for one in found], words
    assert (await lab.client.get("/research", params={"q": "norway sweden"})).json()["items"] == []
    assert code(await lab.client.get("/research", params={"q": "x" * 120})) == (200, "")
    assert faults(await lab.client.get("/research", params={"q": "x" * 121})) == ["q"]


async def test_the_search_finds_no_ids_types_and_modes(lab: Lab) -> None:
    rivals = {"competitors": [{"name": "Quillon", "website": "https://quillon.example"}], "topic": ""}
    await lab.start(section(), section(EXPORTS, name="Rivals", type="competitors", **rivals))
    plan = {"researchMode": "recent", "sections": [section(scope={"sourceMode": "open", "audience": "Growers"})]}
    await lab.world.add(
        research=[
            {"key": "old", "name": "Old", "definition": plan},
            {"key": "odd", "name": "Odd", "definition": {"sections": "x"}},
        ]
    )
    for words, count in {"quillon": 1, "growers": 1, "planners": 2}.items():
        found = (await lab.client.get("/research", params={"q": words})).json()
        assert found["pagination"]["total"] == count, words
    for words in ("market", "competitors", "open", "recent", FORECASTS, EXPORTS):
        assert (await lab.client.get("/research", params={"q": words})).json()["items"] == [], words


async def test_reading_needs_no_provider_and_starts_nothing(lab: Lab) -> None:
    run = await lab.searched()
    await lab.fail_all()
    asked = len(lab.shelf.asked)
    jobs = await lab.sql("SELECT count(*) FROM jobs WHERE workspace_id = $1")
    for view, query in {
        "brief": {},
        "progress": {},
        "runs": {},
        "run": {"runId": run["id"]},
        "findings": {"runId": run["id"], "sectionId": FORECASTS},
        "records": {"runId": run["id"]},
    }.items():
        await lab.view(run["briefId"], view, **query)
    assert len(lab.shelf.asked) == asked
    assert await lab.sql("SELECT count(*) FROM jobs WHERE workspace_id = $1") == jobs


async def test_a_view_that_has_not_changed_is_not_sent_again(lab: Lab) -> None:
    started = await lab.start()
    address = f"/research/{started['briefId']}?view=progress"
    tag = (await lab.client.get(address)).headers["etag"]
    assert (await lab.client.get(address, headers={"If-None-Match": tag})).status_code == 304
    await lab.search(started["run"])
    assert (await lab.client.get(address, headers={"If-None-Match": tag})).status_code == 200


async def test_another_workspace_sees_and_changes_nothing(lab: Lab) -> None:
    run = await lab.searched()
    async with lab.world.stranger() as stranger:
        theirs = Lab(stranger)
        assert (await stranger.client.get("/research")).json()["items"] == []
        for action in ("retry", "retry_addition", "stop"):
            assert code(await theirs.run(action, briefId=run["briefId"], runId=run["id"])) == (404, "NOT_FOUND")
        assert code(await theirs.update("pause", briefId=run["briefId"])) == (404, "NOT_FOUND")
    assert await lab.progress(run["briefId"]) == run


async def test_the_words_of_a_search_begin_words_of_the_plan(lab: Lab) -> None:
    scope = {"sourceMode": "preferred", "domains": ["news.trade-press.example"], "geography": "Südtirol"}
    started = await lab.start(section(scope=scope, topic="demand-forecasting_tools निर्यात"))
    beginnings = ("forec", "FORECASTS", "dem plan", "trade", "press.exam", "news.trade-press.example", "südt", "tool")
    for words in (*beginnings, "su\u0308d", "निर्या"):
        found = (await lab.client.get("/research", params={"q": words})).json()
        assert [one["id"] for one in found["items"]] == [started["briefId"]], words
    for words in ("orecast", "preferred", "market", "demand ships", "!!", "' & |", "a:*b"):
        found = (await lab.client.get("/research", params={"q": words})).json()
        assert found["pagination"]["total"] == 0, words
