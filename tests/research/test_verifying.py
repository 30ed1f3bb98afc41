"""Every quote of a run is checked against the stored text of its source."""

from uuid import UUID

from sightline.research.runs.verify import NO_TEXT, NOT_QUOTED, OTHER_TEXT, Verification, verify_run
from tests.research.lab import Json, Lab, exports, section

CHANGE = "UPDATE research_sources SET {} WHERE workspace_id = $1 AND run_id = $2"


async def verified(lab: Lab, run: Json) -> Verification:
    async with lab.world.database.snapshot() as tx:
        return await verify_run(tx, UUID(run["id"]))


async def test_quotes_of_a_run_hold(lab: Lab) -> None:
    run = await lab.searched(section(), exports())
    checked = await verified(lab, run)
    assert (checked.findings, checked.mismatches) == (3, [])
    assert checked.quotes >= 3


async def test_a_quote_that_is_not_in_the_text_is_named(lab: Lab) -> None:
    run = await lab.searched()
    await lab.sql(
        """UPDATE research_findings SET observations = '[{"text": "Said.", "quote": "Nobody said this."}]'
            WHERE workspace_id = $1 AND run_id = $2 AND position = 1""",
        run["id"],
    )
    [wrong] = (await verified(lab, run)).mismatches
    assert (wrong.quote, wrong.reason) == ("Nobody said this.", NOT_QUOTED)
    assert str(wrong.finding_id) == (await lab.findings(run))["items"][1]["id"]


async def test_a_text_that_was_changed_or_lost_proves_nothing(lab: Lab) -> None:
    run = await lab.searched()
    await lab.sql(CHANGE.format("content = content || ' And more.'"), run["id"])
    assert [wrong.reason for wrong in (await verified(lab, run)).mismatches] == [OTHER_TEXT, OTHER_TEXT]
    await lab.sql("DELETE FROM research_sources WHERE workspace_id = $1 AND run_id = $2", run["id"])
    assert {(wrong.quote, wrong.reason) for wrong in (await verified(lab, run)).mismatches} == {(None, NO_TEXT)}


async def test_a_run_of_the_same_id_is_checked_in_every_workspace(lab: Lab) -> None:
    run = await lab.searched()
    async with lab.world.stranger() as stranger:
        await stranger.add(
            research=[
                {
                    "key": "copy",
                    "name": "Copy",
                    "runs": [
                        {
                            "id": run["id"],
                            "sections": [
                                {
                                    "id": run["sections"][0]["id"],
                                    "name": "Copy",
                                    "findings": [
                                        {
                                            "id": run["id"],
                                            "title": "Lost",
                                            "url": "https://lost.example",
                                            "retrievedAt": "2026-11-20T10:00:00Z",
                                            "observations": [{"text": "Said.", "quote": "Said."}],
                                            "provenance": {
                                                "provider": "shelf",
                                                "query": "lost",
                                                "contentHash": "0",
                                                "engine": "embedded 1",
                                            },
                                        }
                                    ],
                                }
                            ],
                        }
                    ],
                }
            ]
        )
        checked = await verified(lab, run)
    assert (checked.findings, [wrong.url for wrong in checked.mismatches]) == (3, ["https://lost.example"])
