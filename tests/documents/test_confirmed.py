"""What people confirmed, in a PRD: under which heading, each wording once, and the first page short."""

import re

from tests.documents.conftest import written
from tests.documents.written import ACCOUNTS, idea, insight, part, prd, signal
from tests.world import World

CUT = "The hedge cutter stops in the rain."
TEXT = "Please let us text the gardener who is nearest."
LEAVE = "We want to finish the hedges before the first frost."


async def test_a_confirmed_wish_stands_under_its_requirement_and_a_wished_outcome_is_a_goal(world: World) -> None:
    said = {"cut": CUT, "text": TEXT, "leave": LEAVE}
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal(key, accounts=["acme"]) for key in said],
        insights=[
            insight(key, text, text, category="problem" if key == "cut" else "request") for key, text in said.items()
        ],
        ideas=[idea(insights=[{"insight": key, "validated": True} for key in said])],
    )
    assert re.findall(r"“(.*?)”", part(document, "Problem")) == [CUT]
    assert f"- **“{LEAVE}”** (not reviewed, validated for IDEA-1, 1 customer: Acme) [" in part(document, "Goals")
    assert f"- **“{TEXT}”** (not reviewed, validated for IDEA-1, 1 customer: Acme) [" in part(document, "Requirements")
    brief = await written(world, "INITIATIVE_BRIEF")
    assert re.findall(r"“(We want .*?|Please .*?)”", part(brief, "What it shall achieve")) == [LEAVE, TEXT]


async def test_only_wishes_are_no_problem_that_is_known(world: World) -> None:
    document = await prd(
        world,
        signals=[signal("text")],
        insights=[insight("text", TEXT, TEXT, category="request")],
        ideas=[idea(insights=[{"insight": "text", "validated": True}])],
    )
    assert re.search(r"Open, not recorded:\*\* .*\bproblem\b", document["content"])
    assert "## Problem" not in document["content"]


async def test_the_words_of_a_title_are_not_quoted_again_and_equal_quotes_are_one(world: World) -> None:
    other = "the blades are blunt after an hour"
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal(name, accounts=[name]) for name in ("acme", "bolt", "core", "dune")],
        insights=[
            {
                **insight("same", CUT, CUT),
                "extracts": [{"text": CUT, "signal": "s-acme"}, {"text": CUT.lower(), "signal": "s-bolt"}],
            },
            {
                **insight("reworded", "Blades do not last", other),
                "extracts": [{"text": other, "signal": "s-core"}, {"text": f"{other}.", "signal": "s-dune"}],
            },
        ],
        ideas=[idea(insights=[{"insight": key, "validated": True} for key in ("same", "reworded")])],
    )
    problem = part(document, "Problem")
    assert problem.lower().count(CUT.lower()) == 1
    assert f"**“{CUT}”** (not reviewed, validated for IDEA-1, 2 customers: Acme, Bolt) [" in problem
    assert re.search(
        rf"\*\*Blades do not last\*\* .*\n\n  > “{other}\.?” \(Core, Dune\) \[\d\]$", problem, re.MULTILINE
    )


async def test_a_title_in_the_words_of_a_signal_without_a_customer_names_the_signal(world: World) -> None:
    document = await prd(
        world,
        signals=[signal("one", number=7)],
        insights=[insight("one", CUT, CUT)],
        ideas=[idea(insights=[{"insight": "one", "validated": True}])],
    )
    assert f"**“{CUT}”** (not reviewed, validated for IDEA-1, SIGNAL-7) [" in part(document, "Problem")


async def test_the_first_page_names_the_customers_with_most_findings_and_counts_the_others(world: World) -> None:
    names = ["Yew", "Xylo", "Willow", "Vine", "Thorn", "Sorrel", "Rowan", "Quince", "Plum", "Oak"]
    twice = ["Plum", "Oak"]
    document = await prd(
        world,
        accounts=[{"key": name.lower(), "name": name} for name in names],
        signals=[
            signal("all", accounts=[name.lower() for name in names]),
            signal("few", accounts=[name.lower() for name in twice]),
        ],
        insights=[
            insight("all", "Tables stop as CSV", "Tables stop as CSV."),
            insight("few", "No export of a table ends", "No export of a table ends."),
        ],
        ideas=[idea(insights=["all", "few"])],
    )
    [named] = re.findall(r"^- \*\*Who:\*\* (.*)$", part(document, "Summary"), re.MULTILINE)
    assert (
        re.sub(r" \[\d\]", "", named)
        == "10 customers, 2 signals: Oak, Plum, Quince, Rowan, Sorrel, Thorn, Vine, Willow and 2 more"
    )
