"""The problems of a PRD: whose they are, in which order, without duplicates, without contradiction."""

import re

import pytest

from tests.documents.conftest import Json, written
from tests.documents.written import ACCOUNTS, INITIATIVE, idea, insight, marks, part, prd, signal
from tests.world import World


@pytest.mark.parametrize("type", ["PRD", "INITIATIVE_BRIEF"])
async def test_accounts_of_insights_and_signals_are_customers(world: World, type: str) -> None:
    document = await prd(
        world,
        type,
        accounts=ACCOUNTS,
        signals=[signal("one", accounts=["bolt"]), signal("two", accounts=["core"])],
        insights=[insight("one", "Exports are slow", "We wait for hours.", accounts=["acme"])],
        ideas=[
            idea(
                insights=["one"],
                accounts=["dune"],
                evidence=[{"key": "e", "title": "A loss", "extracts": [{"text": "We left.", "signal": "s-two"}]}],
            )
        ],
    )
    named = part(document, "Customers" if type == "PRD" else "Who asks for it")
    assert sorted(name for name in ("Acme", "Bolt", "Core", "Dune") if name in named) == [
        "Acme",
        "Bolt",
        "Core",
        "Dune",
    ]
    assert "4 customers" in part(document, "At a glance")
    assert "Customers:**" not in document["content"]


async def test_reviewed_insights_come_first_and_are_marked(world: World) -> None:
    many = [signal(f"n{n}", accounts=["acme", "bolt"]) for n in range(3)]
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[*many, signal("calm"), signal("sure"), signal("edited")],
        insights=[
            {**insight("loud", "Loud problem with many voices", "One.", "s-n0"), "signals": ["s-n1", "s-n2"]},
            insight("sure", "Quiet problem somebody confirmed", "Two."),
            insight("edited", "Small matter a person rewrote", "Three.", reviewState="edited"),
            insight("calm", "Certain fault a person accepted", "Four.", reviewState="accepted"),
        ],
        ideas=[idea(insights=["loud", {"insight": "sure", "validated": True}, "edited", "calm"])],
    )
    text = part(document, "Problem")
    order = ["Small matter a person rewrote", "Certain fault", "Quiet problem", "Loud problem"]
    headings = re.findall(r"^### P\d\. (.*)$", text, re.MULTILINE)
    assert set(headings[:2]) == {"Small matter a person rewrote", "Certain fault a person accepted"}
    assert [heading.startswith(name) for heading, name in zip(headings[2:], order[2:], strict=True)] == [True, True]
    assert re.findall(r"Support: (reviewed|not reviewed)", text) == ["reviewed"] * 2 + ["not reviewed"] * 2
    assert "validated for IDEA-1" in text
    assert re.search(r"O\d+ Review of P3, P4:", text)
    assert "4 insights (2 reviewed)" in part(document, "At a glance")


@pytest.mark.parametrize("type", ["PRD", "INITIATIVE_BRIEF", "TDD"])
async def test_a_rejected_insight_is_left_out(world: World, type: str) -> None:
    await world.add(
        initiatives=[INITIATIVE],
        accounts=ACCOUNTS,
        signals=[signal("no", accounts=["acme"]), signal("yes", accounts=["bolt"])],
        insights=[insight("no", "Everybody hates fonts", "No fonts."), insight("yes", "Exports are slow", "We wait.")],
        ideas=[idea(insights=["no", "yes"])],
    )
    rejected = (await world.ids("insights"))["no"]
    answer = await world.client.patch(f"/insights/{rejected}", json={"reviewState": "rejected"})
    assert answer.status_code == 200, answer.text
    content = (await written(world, type))["content"]
    assert "Exports are slow" in content
    for word in ("Everybody hates fonts", "No fonts.", "Acme"):
        assert word not in content


async def test_the_best_supported_problem_and_requirement_come_first(world: World) -> None:
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal("weak"), signal("strong", accounts=["acme", "bolt"])],
        insights=[
            insight("weak", "Fonts look old", "So old."),
            insight("strong", "Exports fail at night", "It fails."),
        ],
        ideas=[
            idea("fonts", "New fonts everywhere", description="Fonts are new.", number=1, insights=["weak"]),
            idea("night", "Retry in the night", description="It is tried again.", number=2, insights=["strong"]),
        ],
    )
    assert re.findall(r"### (P\d)\. (\w+)", part(document, "Problem")) == [("P1", "Exports"), ("P2", "Fonts")]
    assert re.findall(r"### (R\d)\. (\w+)", part(document, "Requirements")) == [("R1", "Retry"), ("R2", "New")]


async def test_near_identical_insights_are_one_with_all_their_sources(world: World) -> None:
    hours = "We wait for hours until it ends."
    titles = ("Exports of large tables are slow", "The export of large tables is slow, mostly at night")
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal("a", accounts=["acme"]), signal("b", accounts=["bolt"]), signal("c")],
        insights=[
            insight("a", titles[0], hours),
            insight("b", titles[1], "It takes all night."),
            insight("c", "Imports lose the header row", "The header is gone."),
        ],
        ideas=[
            idea(
                insights=["a", "b", "c"],
                evidence=[
                    {
                        "key": "e",
                        "title": "Heard on a call",
                        "extracts": [{"text": "for hours until it ends", "signal": "s-a"}],
                    },
                    {
                        "key": "f",
                        "title": "Hours",
                        "extracts": [{"text": "We wait for hours until it ends.", "signal": "s-a"}],
                    },
                ],
            )
        ],
    )
    text = part(document, "Problem")
    assert len(re.findall(r"^### ", text, re.MULTILINE)) == 2
    assert text.count(hours[8:-1]) == 1
    support = next(line for line in text.splitlines() if line.startswith("Support: ") and "2 customers" in line)
    assert set(marks(document, *titles, "Heard on a call", "Hours").split()) <= set(support.split())
    assert f"“{hours}” (Acme, SIGNAL-" in text
    assert "“It takes all night.” (Bolt, SIGNAL-" in text


async def test_evidence_of_the_same_idea_and_signal_belongs_to_the_insight(world: World) -> None:
    def seen(key: str, signal: str) -> Json:
        return {"key": key, "title": f"Seen {key}", "extracts": [{"text": f"It was {key}.", "signal": signal}]}

    document = await prd(
        world,
        signals=[signal("one"), signal("two")],
        insights=[
            insight("one", "Exports are slow", "We wait for hours."),
            insight("two", "Imports lose rows", "Rows are gone."),
            insight("more", "Nobody sees an error", "It says nothing.", "s-two"),
        ],
        ideas=[idea(insights=["one", "two", "more"], evidence=[seen("there", "s-one"), seen("twice", "s-two")])],
    )
    findings = part(document, "Problem").split("### ")
    [slow] = [finding for finding in findings if "Exports are slow" in finding]
    assert "- Also: **Seen there** (supports IDEA-1)" in slow
    assert "“It was there.”" in slow
    assert any(finding.startswith("P") and "Seen twice" in finding.splitlines()[0] for finding in findings)


@pytest.mark.parametrize("type", ["PRD", "INITIATIVE_BRIEF", "TDD"])
async def test_nothing_contradicts_a_validated_insight(world: World, type: str) -> None:
    document = await prd(
        world,
        type,
        signals=[signal("one")],
        insights=[insight("one", "Exports are slow", "We wait for hours.")],
        ideas=[idea(insights=[{"insight": "one", "validated": True}])],
    )
    assert "Exports are slow" in document["content"]
    assert not re.search(r"No (supporting )?(insight|evidence)(?! that qualifies)", document["content"])


async def test_an_insight_that_only_contradicts_is_no_problem_to_solve(world: World) -> None:
    document = await prd(
        world,
        signals=[signal("back"), signal("wait")],
        insights=[
            insight("back", "Places that tried it went back", "We switched it off."),
            insight("wait", "Guests queue at the counter", "They queue."),
        ],
        ideas=[
            idea(
                insights=["back", "wait"],
                evidence=[
                    {
                        "key": "off",
                        "title": "Switched off",
                        "role": "contradicts",
                        "extracts": [{"text": "We switched it off.", "signal": "s-back"}],
                    }
                ],
            )
        ],
    )
    assert re.findall(r"^### P\d\. (.*)$", part(document, "Problem"), re.MULTILINE) == ["Guests queue at the counter"]
    against = part(document, "Risks and objections")
    assert "**Places that tried it went back** (contradicts IDEA-1)" in against
    assert against.count("We switched it off.") == 1


async def test_praise_is_kept_apart_from_problems(world: World) -> None:
    document = await prd(
        world,
        signals=[signal("good")],
        insights=[insight("good", "The link works at lunch", "It took me a minute.", category="praise")],
        ideas=[idea(insights=["good"])],
    )
    assert "The link works at lunch" in part(document, "What customers value")
    assert "O" in part(document, "Problem")
    assert "The link works at lunch" not in part(document, "Problem")


async def test_a_merged_insight_is_represented_by_the_other_one(world: World) -> None:
    document = await prd(
        world,
        signals=[signal("old"), signal("kept")],
        insights=[
            insight("old", "Waiting", "We wait.", reviewState="merged", mergedInto="kept"),
            insight("kept", "Exports are slow", "We wait for hours."),
        ],
        ideas=[idea(insights=["old"])],
    )
    assert [source["title"] for source in document["sources"] if source["kind"] == "insight"] == ["Exports are slow"]
