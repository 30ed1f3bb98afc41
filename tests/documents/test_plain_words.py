"""Where sentences in plain words stand in a PRD: needs, targets, limits and what is open."""

import re

from sightline.intelligence.embedded import embedded_engine
from tests.documents.conftest import written
from tests.documents.written import idea, part, prd
from tests.world import World


async def test_what_the_proposal_gives_people_is_a_requirement_also_at_the_start(world: World) -> None:
    said = (
        "The diver gets a link, no app and no login, and ticks off each bottle.",
        "We keep the hour with the bottle.",
        "Silence isn't a yes.",
    )
    document = await prd(world, ideas=[idea(description=f"{' '.join(said)} The harbour should see it at noon.")])
    assert [one for one in said if f"- “{one}”" not in part(document, "Requirements")] == []
    assert "Open:" not in document["content"].partition("## Open points")[0]


async def test_targets_and_limits_in_plain_words_stand_under_their_headings(world: World) -> None:
    measures = (
        "We'd like half as many dives broken off.",
        "Would like to get from about 9 lost bottles in 100 to 2.",
        "One dive in thirty starts late because of us, want none.",
    )
    limits = ("We don't fill bottles.", "The skipper names the price, we don't set it.", "Never to the guests.")
    document = await prd(world, ideas=[idea(description=f"The list should be short. {' '.join([*measures, *limits])}")])
    assert [one for one in measures if f"- “{one}”" not in part(document, "Success measures")] == []
    assert [one for one in limits if f"- “{one}”" not in part(document, "Non-goals")] == []
    missing = re.search(r"Open, not recorded:\*\* (.*)", document["content"])
    assert missing
    assert not {"what it leaves out", "measure and target"} & set(missing[1].split(", "))


async def test_limits_and_targets_of_the_initiative_stand_under_their_headings(world: World) -> None:
    why, target = "Bottles go missing.", "By May half as many bottles should be lost."
    limits = ("We keep our hands off the boats; fees stay as they are.", "Nor are courses or insurance.")
    await prd(world, "TDD", ideas=[idea()])
    await world.client.patch("/initiatives/INITIATIVE-1", json={"description": " ".join([why, target, *limits])})
    document = await written(world, "PRD")
    assert part(document, "Summary").startswith(f"{why} [1]")
    assert f"- “{target}” [1]" in part(document, "Success measures")
    assert [one for one in limits if f"- “{one}” [1]" not in part(document, "Non-goals")] == []
    assert document["content"].count(target) == document["content"].count(limits[0]) == 1
    assert "what it leaves out" not in document["content"]
    assert limits[0] in part(await written(world, "INITIATIVE_BRIEF"), "Summary")


async def test_what_is_not_decided_is_open_whether_an_idea_or_an_answer_says_so(world: World) -> None:
    asked = [
        {"key": "q", "question": "Who pays when a dive school is the guest?", "status": "answered",
         "answer": "Not decided. Ada is asking two schools."},
    ]  # fmt: skip
    said = "tbd: who pays if the dive school is the guest. tbd: which harbours begin."
    document = await prd(world, ideas=[idea(description=f"The list should be short. {said}", questions=asked)])
    points = part(document, "Open points")
    assert (
        "- **Open:** Who pays when a dive school is the guest? (IDEA-1) Not decided. Ada is asking two schools."
        in points
    )
    assert "- Open: “tbd: which harbours begin.”" in points
    assert document["content"].partition("## Sources")[0].count("the guest") == 1


async def test_an_idea_with_a_measure_is_not_asked_for_one(world: World) -> None:
    asked = [{"key": "q", "question": "Which figure will show that it works, and what should it become?"}]
    said = "The list should be short. We'd like half as many dives broken off."
    document = await prd(world, ideas=[idea(description=said, questions=asked)])
    assert "Which figure" not in document["content"]


def test_an_idea_with_a_share_and_a_target_is_asked_for_neither() -> None:
    said = "Divers wait. About 9 lost bottles in 100 come back. We'd like half as many dives broken off."
    asked = {one.question for one in embedded_engine().ask_questions(said)}
    assert not any(one.startswith(("How often", "Which figure")) for one in asked)


async def test_a_proposal_goes_on_after_a_question_to_its_users_and_after_how_it_is_today(world: World) -> None:
    needs = (
        "Scan the tag on the pot at the gate, the lot hangs on the order.",
        "At six we ask: are you coming?",
        "Stalls without an answer lose their pitch and the next in line gets it.",
        "And a warning at the moment of loading if the van is too heavy, empties counted in.",
        "Instead the app offers the next pitch, the stall answers within ten minutes, otherwise the pitch goes on.",
    )
    open_points = (
        "Limit in crates or in kilos, tbd.",
        "No target yet, nobody has counted the empty pitches.",
        "Do we take cash? Stalls for it, the town against, undecided.",
        "How long to keep it: the town is checking.",
        "Whether it costs less at noon: the treasurer has to say.",
    )
    limits = (
        "Reading old plans is not in this round.",
        "No early-bird fee.",
        "Nothing per trader, they'd feel watched.",
        "The power meters are a different project.",
        "No connection to the tills of the traders.",
        "Weather isn't included, that's for later.",
    )
    problem = "Lots are written on the backs of tickets."
    extent = "Mud is the biggest part of the ninety stops a month, so without this we won't get there."
    said = " ".join([problem, *needs, extent, *open_points, *limits])
    document = await prd(world, ideas=[idea(description=said)])
    assert [one for one in needs if f"- “{one}”" not in part(document, "Requirements")] == []
    assert [one for one in open_points if f"- Open: “{one}”" not in part(document, "Open points")] == []
    assert [one for one in limits if f"- “{one}”" not in part(document, "Non-goals")] == []
    assert [one for one in (problem, extent) if f"“{one}”" not in part(document, "Problem")] == []
    assert "## Risks" not in document["content"]


async def test_a_lack_before_a_proposal_without_a_cue_is_its_problem(world: World) -> None:
    problem = "Empty crates are dropped at the wall and nobody sees them again."
    document = await prd(world, ideas=[idea(description=f"{problem} Status with time: dropped, counted, washed.")])
    assert f"“{problem}”" in part(document, "Problem")
    assert "- “Status with time: dropped, counted, washed.”" in part(document, "Requirements")


async def test_a_person_who_checks_or_decides_in_a_proposal_leaves_nothing_open(world: World) -> None:
    needs = ("While a warden is checking, the pitch stays free.", "A trader has to decide, within an hour or so.")
    document = await prd(world, ideas=[idea(description=f"The list should be short. {' '.join(needs)}")])
    assert [one for one in needs if f"- “{one}”" not in part(document, "Requirements")] == []
