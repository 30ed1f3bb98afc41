"""Adding sources to a product: each becomes one signal, whatever happens meanwhile."""

from uuid import UUID

import pytest

from sightline.intelligence.embedded import EmbeddedEngine
from sightline.research import jobs
from sightline.research.delivery import deliver
from tests.research.lab import EXPORTS, FORECASTS, MISSING, Json, Lab, code, exports, of, page, section


async def signals(lab: Lab) -> list[Json]:
    found: list[Json] = (await lab.client.get("/signals", params={"sourceType": "research", "include": "raw"})).json()
    return found


async def test_each_source_becomes_a_signal_of_the_product(lab: Lab) -> None:
    run = await lab.searched(section(), exports())
    queued = (await lab.add(run)).json()["run"]
    product = (await lab.products())["app"]
    assert queued["addition"] == {"status": "queued", "productId": product, "signalIds": [], "failure": None}
    await lab.deliver(run)
    added = (await lab.progress(run["briefId"]))["addition"]
    assert (added["status"], len(added["signalIds"])) == ("completed", 3)
    found = {one["id"]: one for one in await signals(lab)}
    assert found.keys() == set(added["signalIds"])
    for place, finding in enumerate((await lab.findings(run))["items"]):
        signal = found[added["signalIds"][place]]
        assert signal["source"]["external_data"] == {
            **of(run),
            "sectionId": FORECASTS,
            "sectionIds": [FORECASTS],
            "productId": product,
            "findingIds": [finding["id"]],
            "publishedAt": finding["publishedAt"],
        }
        assert signal["rawData"]["text"] == "\n\n".join(one["quote"] for one in finding["observations"])
        [link] = signal["sourceLinks"]
        assert (link["url"], link["primary"]) == (finding["url"], True)
        assert signal["name"] == finding["title"]
        assert signal["createdAt"] == signal["updatedAt"] > run["createdAt"]


async def test_a_delivered_signal_is_market_evidence_that_is_processed(lab: Lab) -> None:
    run = await lab.added()
    [first, *_] = await signals(lab)
    kinds = {name: first[name] for name in ("providerType", "evidenceKind", "context", "analysisProfile", "status")}
    assert kinds == {
        "providerType": "research",
        "evidenceKind": "report",
        "context": "research",
        "analysisProfile": "market_evidence",
        "status": "pending",
    }
    for id in run["addition"]["signalIds"]:
        await lab.process(id)
    assert {one["status"] for one in await signals(lab)} == {"processed"}


async def test_the_same_product_again_changes_nothing(lab: Lab) -> None:
    run = await lab.added()
    again = await lab.add(run)
    assert (code(again), again.json()["run"]) == ((200, ""), run)
    await lab.deliver(run)
    assert len(await signals(lab)) == 2
    assert await lab.credits() == 7


async def test_the_same_product_gets_what_a_retry_has_found_since(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    await lab.run("stop", **of(started["run"]))
    done = "UPDATE research_sections SET status = 'failed' WHERE workspace_id = $1 AND run_id = $2 AND position = 1"
    await lab.run("retry", **of(started["run"]))
    await lab.sql(done, started["run"]["id"])
    await lab.search(started["run"])
    await lab.add(started["run"])
    await lab.deliver(started["run"])
    await lab.run("retry", **of(started["run"]))
    await lab.search(started["run"])
    before = (await lab.progress(started["briefId"]))["addition"]["signalIds"]
    assert (await lab.add(started["run"])).json()["run"]["addition"]["status"] == "queued"
    await lab.deliver(started["run"])
    after = (await lab.progress(started["briefId"]))["addition"]["signalIds"]
    assert (len(before), len(after), after[:2]) == (2, 3, before)


@pytest.mark.parametrize("is_done", [False, True])
async def test_another_product_is_refused_after_an_addition(lab: Lab, is_done: bool) -> None:
    run = await lab.searched()
    await lab.add(run)
    if is_done:
        await lab.deliver(run)
    assert code(await lab.add(run, "site")) == (409, "DESTINATION_UNAVAILABLE")


async def test_an_unknown_or_foreign_product_is_refused(lab: Lab) -> None:
    run = await lab.searched()
    async with lab.world.stranger() as stranger:
        await stranger.add(products=[{"key": "theirs", "name": "Theirs"}])
        for product in (MISSING, (await stranger.ids("products"))["theirs"]):
            answer = await lab.run("add", **of(run), productId=product)
            assert code(answer) == (409, "DESTINATION_UNAVAILABLE")
    assert await lab.credits() == 5


async def test_an_addition_that_was_interrupted_makes_no_signal_twice(lab: Lab) -> None:
    """As when the worker dies between creating a signal and noting it."""
    run = await lab.searched()
    await lab.add(run)
    db = lab.world.database
    async with db.transaction() as tx:
        found = await deliver.find_next(tx, lab.workspace_id, UUID(run["id"]))
    assert found is not None
    assert (await lab.progress(run["briefId"]))["addition"]["status"] == "running"
    await deliver.deliver(db, lab.tools[EmbeddedEngine], lab.workspace_id, found)
    await deliver.deliver(db, lab.tools[EmbeddedEngine], lab.workspace_id, found)
    await lab.sql(
        "UPDATE research_runs SET addition_signal_ids = '{}', credits_reserved = credits_reserved + 1"
        " WHERE workspace_id = $1 AND id = $2",
        run["id"],
    )
    await lab.sql(
        "UPDATE plans SET ai_credits_reserved = ai_credits_reserved + 1, ai_credits_used = ai_credits_used - 1"
        " WHERE workspace_id = $1"
    )
    await lab.deliver(run)
    added = (await lab.progress(run["briefId"]))["addition"]
    assert {one["id"] for one in await signals(lab)} == set(added["signalIds"])
    assert (len(added["signalIds"]), await lab.credits()) == (2, 7)


async def test_an_addition_without_its_product_fails_and_returns_its_credits(lab: Lab) -> None:
    run = await lab.searched()
    await lab.add(run)
    await lab.sql("DELETE FROM products WHERE workspace_id = $1 AND key = 'app'")
    await lab.deliver(run)
    added = (await lab.progress(run["briefId"]))["addition"]
    assert added == {"status": "failed", "productId": None, "signalIds": [], "failure": "The product was deleted."}
    assert await lab.credits() == 5
    assert code(await lab.run("retry_addition", **of(run))) == (409, "DESTINATION_UNAVAILABLE")
    assert code(await lab.add(run, "site")) == (200, "")
    await lab.deliver(run)
    assert (await lab.progress(run["briefId"]))["addition"]["status"] == "completed"


async def test_a_failed_addition_goes_on_where_it_stopped(lab: Lab) -> None:
    run = await lab.searched()
    await lab.add(run)
    db, run_id = lab.world.database, UUID(run["id"])
    async with db.transaction() as tx:
        found = await deliver.find_next(tx, lab.workspace_id, run_id)
    assert found is not None
    await deliver.deliver(db, lab.tools[EmbeddedEngine], lab.workspace_id, found)
    await jobs.give_up_addition(db, lab.workspace_id, run_id, ValueError("A secret of the inside."))
    failed = (await lab.progress(run["briefId"]))["addition"]
    assert (failed["status"], failed["failure"], len(failed["signalIds"])) == ("failed", jobs.ADDITION_FAILED, 1)
    assert await lab.credits() == 6
    assert (await lab.run("retry_addition", **of(run))).json()["run"]["addition"]["status"] == "queued"
    await lab.deliver(run)
    added = (await lab.progress(run["briefId"]))["addition"]
    assert (added["status"], added["signalIds"][:1], len(added["signalIds"])) == ("completed", failed["signalIds"], 2)
    assert await lab.credits() == 7


async def test_a_source_that_has_no_web_address_is_added_without_a_link(lab: Lab) -> None:
    saved = page("crops", "Planners forecast demand from last year's harvest, says this saved page.")
    lab.shelf = type(lab.shelf)([type(saved)(**{**fields_of(saved), "url": "library:crops.md"})])
    run = await lab.added()
    [signal] = await signals(lab)
    assert (run["addition"]["status"], signal["sourceLinks"]) == ("completed", [])


def fields_of(record: object) -> Json:
    return {name: getattr(record, name) for name in record.__struct_fields__}  # type: ignore[attr-defined]  # a Struct


async def test_while_sources_are_added_nothing_is_searched_again(lab: Lab) -> None:
    run = await lab.searched(section(), exports())
    await lab.sql(
        "UPDATE research_sections SET status = 'failed' WHERE workspace_id = $1 AND run_id = $2 AND position = 1",
        run["id"],
    )
    await lab.add(run)
    assert code(await lab.run("retry", **of(run))) == (409, "INCOMPATIBLE_RUN")
    await lab.deliver(run)
    assert code(await lab.run("retry", **of(run))) == (200, "")


async def test_a_run_without_sources_is_added_without_a_signal(lab: Lab) -> None:
    run = await lab.added(section(topic="submarine cable", questions=["Who lays cables?"], objective="Cables."))
    assert (run["addition"]["status"], run["addition"]["signalIds"]) == ("completed", [])


DELETE_PRODUCT = "DELETE FROM products WHERE workspace_id = $1 AND key = $2"
TWICE = (section(), section(EXPORTS, name="Again"))


async def refail(lab: Lab, run: Json) -> None:
    """The second section failed, and found nothing."""
    await lab.sql(
        "UPDATE research_sections SET status = 'failed', sealed_at = NULL"
        " WHERE workspace_id = $1 AND run_id = $2 AND position = 1",
        run["id"],
    )
    await lab.sql("DELETE FROM research_findings WHERE workspace_id = $1 AND section_id = $2", UUID(EXPORTS))


async def test_a_source_of_two_sections_is_delivered_once(lab: Lab) -> None:
    run = await lab.added(*TWICE)
    assert len(run["addition"]["signalIds"]) == len(await signals(lab)) == 2
    for signal in await signals(lab):
        data = signal["source"]["external_data"]
        assert (data["sectionId"], data["sectionIds"]) == (FORECASTS, [FORECASTS, EXPORTS])
        assert len(data["findingIds"]) == 2
    assert await lab.credits() == 2 * 5 + 2


async def test_what_a_retry_finds_in_a_delivered_source_is_appended_without_a_credit(lab: Lab) -> None:
    other = section(EXPORTS, name="Again", topic="week of work", questions=["What takes a week of work?"])
    run = await lab.searched(section(), other)
    await refail(lab, run)
    await lab.add(run)
    await lab.deliver(run)
    for id in (await lab.progress(run["briefId"]))["addition"]["signalIds"]:
        await lab.process(id)
    before, paid = {one["id"]: one for one in await signals(lab)}, await lab.credits()
    await lab.run("retry", **of(run))
    await lab.search(run)
    found = (await lab.findings(run, EXPORTS))["items"]
    assert found
    assert (await lab.add(run)).json()["run"]["addition"]["status"] == "queued"
    await lab.deliver(run)
    added = (await lab.progress(run["briefId"]))["addition"]
    assert (added["status"], set(added["signalIds"])) == ("completed", set(before))
    after = {one["id"]: one for one in await signals(lab)}
    [appended] = [one for one in after.values() if found[0]["id"] in one["source"]["external_data"]["findingIds"]]
    assert appended["source"]["external_data"]["sectionIds"] == [FORECASTS, EXPORTS]
    assert all(one["quote"] in appended["rawData"]["text"] for one in found[0]["observations"])
    assert appended["rawData"]["text"].startswith(before[appended["id"]]["rawData"]["text"])
    assert appended["updatedAt"] > before[appended["id"]]["updatedAt"]
    assert await lab.credits() == paid + 5  # of the section
    again = await lab.add(run)
    assert again.json()["run"]["addition"] == added
    untouched = [id for id in before if id != appended["id"]]
    assert [after[id]["updatedAt"] for id in untouched] == [before[id]["updatedAt"] for id in untouched]


async def test_what_a_person_removed_from_a_signal_stays_away_when_a_finding_is_appended(lab: Lab) -> None:
    other = section(EXPORTS, name="Again", topic="week of work", questions=["What takes a week of work?"])
    run = await lab.searched(section(), other)
    await refail(lab, run)
    await lab.add(run)
    await lab.deliver(run)
    for signal in await signals(lab):
        assert (await lab.client.patch(f"/signals/{signal['id']}", json={"text": "Redacted."})).status_code == 200
    await lab.run("retry", **of(run))
    await lab.search(run)
    [found] = (await lab.findings(run, EXPORTS))["items"]
    await lab.add(run)
    await lab.deliver(run)
    new = [one["quote"] for one in found["observations"]]
    texts = sorted(one["rawData"]["text"] for one in await signals(lab))
    assert texts == ["Redacted.", "\n\n".join(["Redacted.", *new])]


async def test_a_signal_that_was_deleted_is_not_made_again(lab: Lab) -> None:
    run = await lab.searched(*TWICE)
    await refail(lab, run)
    await lab.add(run)
    await lab.deliver(run)
    [first, *_] = (await lab.progress(run["briefId"]))["addition"]["signalIds"]
    assert (await lab.client.delete(f"/signals/{first}")).status_code == 200
    await lab.run("retry", **of(run))
    await lab.search(run)
    await lab.add(run)
    await lab.deliver(run)
    assert (await lab.progress(run["briefId"]))["addition"]["status"] == "completed"
    assert first not in {one["id"] for one in await signals(lab)}


async def test_findings_whose_product_went_before_anything_was_delivered_go_to_another(lab: Lab) -> None:
    run = await lab.searched()
    await lab.add(run)
    assert code(await lab.add(run, "site")) == (409, "DESTINATION_UNAVAILABLE")
    reserved = await lab.credits()
    await lab.sql(DELETE_PRODUCT, "app")
    assert code(await lab.add(run, "site")) == (200, "")
    assert await lab.credits() == reserved
    await lab.deliver(run)
    added = (await lab.progress(run["briefId"]))["addition"]
    assert (added["status"], added["productId"]) == ("completed", (await lab.products())["site"])
    assert await lab.credits() == reserved
    await lab.sql(DELETE_PRODUCT, "site")
    await lab.world.add(products=[{"key": "third", "name": "Third"}])
    assert code(await lab.add(run, "third")) == (409, "DESTINATION_UNAVAILABLE")
