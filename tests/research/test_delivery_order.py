"""Which signal belongs to which source, when a retry finds sources again in another order."""

from datetime import timedelta

import pytest

from sightline.platform.clock import Clock
from tests.research.lab import EXPORTS, FORECASTS, Json, Lab, of, page, section

# About pumps the first page says more than the second; about kettles only the second says something.
PUMPS = page("pumps", "A mash pump clogs with barley. Brewers say that the mash pump clogs each week.")
KETTLES = page("kettles", "A brew kettle scales. Brewers say the mash pump is fine. The brew kettle scales each week.")


def about(topic: str, id: str) -> Json:
    return section(id, topic=topic, objective=f"About the {topic}.", questions=[f"What about the {topic}?"])


async def delivered_before_a_retry(lab: Lab, position: int) -> Json:
    """A run whose section about kettles, at that position, failed; what the other one found is delivered."""
    lab.shelf = type(lab.shelf)((PUMPS, KETTLES))
    sections = [about("mash pump", FORECASTS)]
    sections.insert(position, about("brew kettle", EXPORTS))
    run = await lab.searched(*sections)
    await lab.sql(
        "UPDATE research_sections SET status = 'failed', sealed_at = NULL"
        " WHERE workspace_id = $1 AND run_id = $2 AND position = $3",
        run["id"],
        position,
    )
    await lab.sql(
        "DELETE FROM research_findings WHERE workspace_id = $1 AND run_id = $2 AND section_id = $3",
        run["id"],
        EXPORTS,
    )
    await lab.add(run)
    await lab.deliver(run)
    return run


async def assert_signals_tell_of_their_own_source(lab: Lab, run: Json) -> None:
    findings = [one for id in (FORECASTS, EXPORTS) for one in (await lab.findings(run, id))["items"]]
    assert len(findings) == 3
    signals = (await lab.client.get("/signals", params={"sourceType": "research", "include": "raw"})).json()
    assert len(signals) == 2
    for signal in signals:
        own = [one for one in findings if one["url"] == signal["sourceLinks"][0]["url"]]
        assert set(signal["source"]["external_data"]["findingIds"]) == {one["id"] for one in own}
        assert all(said["quote"] in signal["rawData"]["text"] for one in own for said in one["observations"])


@pytest.mark.parametrize("position", [0, 1])
async def test_what_a_retry_finds_goes_to_the_signal_of_its_own_source(lab: Lab, position: int) -> None:
    run = await delivered_before_a_retry(lab, position)
    await lab.run("retry", **of(run))
    await lab.search(run)
    await lab.add(run)
    await lab.deliver(run)
    await assert_signals_tell_of_their_own_source(lab, run)


async def test_a_worker_whose_clock_is_behind_changes_no_order(lab: Lab) -> None:
    run = await delivered_before_a_retry(lab, 0)
    await lab.run("retry", **of(run))
    await lab.search(run, lab.at(Clock().now() - timedelta(hours=1)))
    await lab.add(run)
    await lab.deliver(run)
    await assert_signals_tell_of_their_own_source(lab, run)
