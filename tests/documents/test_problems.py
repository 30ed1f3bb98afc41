"""The problems of a PRD: whose they are, in which order, without duplicates, without contradiction."""

import re

import pytest

from tests.documents.conftest import Json, written
from tests.documents.written import ACCOUNTS, INITIATIVE, idea, insight, marks, part, prd, signal
from tests.world import World

DESCRIBED = {"description": "As a person wrote it."}


def titles_in(text: str) -> list[str]:
    """The titles of problems, in their order."""
    return re.findall(r"^- R\d: \*\*(.*?)\*\*", text, re.MULTILINE)


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
    [named] = re.findall(r"^- \*\*Who:\*\* (.*)$", part(document, "Summary"), re.MULTILINE)
    assert sorted(name for name in ("Acme", "Bolt", "Core", "Dune") if name in named) == [
        "Acme",
        "Bolt",
        "Core",
        "Dune",
    ]
    assert named.startswith("4 customers, 2 signals: ")


async def test_reviewed_insights_come_first_and_are_marked(world: World) -> None:
    many = [signal(f"n{n}", accounts=["acme", "bolt"]) for n in range(3)]
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[*many, signal("calm"), signal("sure"), signal("edited")],
        insights=[
            {**insight("loud", "Loud matter with voices", "One.", "s-n0"), "signals": ["s-n1", "s-n2"], **DESCRIBED},
            insight("sure", "Quiet problem somebody confirmed", "Two."),
            insight("edited", "Small matter a person rewrote", "Three.", reviewState="edited"),
            insight("calm", "Certain fault a person accepted", "Four.", reviewState="accepted"),
        ],
        ideas=[idea(insights=["loud", {"insight": "sure", "validated": True}, "edited", "calm"])],
    )
    text = part(document, "Problem")
    titles = titles_in(text)
    assert set(titles[:2]) == {"Small matter a person rewrote", "Certain fault a person accepted"}
    assert titles[2:] == ["Quiet problem somebody confirmed", "Loud matter with voices"]
    assert re.findall(r"\((reviewed|not reviewed)", text) == ["reviewed"] * 2 + ["not reviewed"] * 2
    assert "(not reviewed, validated for IDEA-1" in text
    assert "**How sure:** 4 insights from 6 signals, 2 reviewed by a person" in part(document, "Summary")


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


async def test_what_says_the_same_as_a_rejected_insight_is_left_out_unless_a_person_confirmed_it(world: World) -> None:
    said = "Everybody hates the small fonts"
    document = await prd(
        world,
        signals=[signal("no"), signal("again"), signal("sure")],
        insights=[
            insight("no", said, "No fonts.", reviewState="rejected"),
            insight("again", f"{said}.", "Fonts again."),
            insight("sure", "Small fonts are hated by everybody", "They said so.", reviewState="accepted"),
        ],
        ideas=[idea(insights=["no", "again", "sure"], evidence=[{"key": "e", "title": said}])],
    )
    assert "Everybody hates" not in document["content"]
    assert "Fonts again." not in document["content"]
    assert titles_in(part(document, "Problem")) == ["Small fonts are hated by everybody"]


async def test_the_best_supported_problem_and_requirement_come_first(world: World) -> None:
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal("weak"), signal("strong", accounts=["acme", "bolt"])],
        insights=[
            insight("weak", "Fonts look old", "So old.", **DESCRIBED),
            insight("strong", "Exports fail at night", "It fails.", **DESCRIBED),
        ],
        ideas=[
            idea("fonts", "New fonts everywhere", description="Fonts are new.", number=1, insights=["weak"]),
            idea("night", "Retry in the night", description="It is tried again.", number=2, insights=["strong"]),
        ],
    )
    assert titles_in(part(document, "Problem")) == ["Exports fail at night", "Fonts look old"]
    assert re.findall(r"### (R\d)\. (\w+)", part(document, "Requirements")) == [("R1", "Retry"), ("R2", "New")]


async def test_near_identical_insights_are_one_with_all_their_sources(world: World) -> None:
    hours = "We wait for hours until it ends."
    titles = ("Exports of large tables are slow", "The export of large tables is slow, mostly at night")
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal("a", accounts=["acme"]), signal("b", accounts=["bolt"]), signal("c")],
        insights=[
            insight("a", titles[0], hours, **DESCRIBED),
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
    assert len(titles_in(text)) == 2
    assert text.count(hours[8:-1]) == 1
    support = next(line for line in text.splitlines() if "2 customers: " in line)
    assert set(marks(document, *titles, "Heard on a call", "Hours").split()) <= set(support.split())
    assert f"  > “{hours}” (Acme) [" in text
    assert "  > “It takes all night.” (Bolt) [" in text


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
    findings = part(document, "Problem").split("\n- R1: ")
    [slow] = [finding for finding in findings if "Exports are slow" in finding]
    assert "  - Also **Seen there**" in slow
    assert "“It was there.”" in slow
    assert any(finding.startswith("**Seen twice**") for finding in findings)


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
    assert titles_in(part(document, "Problem")) == ["Guests queue at the counter"]
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
    assert document["content"].count("The link works at lunch") == 1
    assert "The link works at lunch" in part(document, "What customers value")


async def test_praise_of_something_else_is_left_out(world: World) -> None:
    praise = [f"{thing} is lovely." for thing in ("The coffee at your office", "A table that is shown as CSV")]
    document = await prd(
        world,
        signals=[signal("a"), signal("b")],
        insights=[insight(key, said, said, category="praise") for key, said in zip("ab", praise, strict=True)],
        ideas=[idea(insights=["a", "b"])],
    )
    assert part(document, "What customers value").startswith(f"- “{praise[1]}”")
    assert "coffee" not in document["content"]


MANY = ["The reader is dead", "Nobody gets in", "Guests shout", "Names are cut", "Doors stay shut", "It rains in"]


async def test_what_many_customers_say_is_one_line_with_all_their_sources(world: World) -> None:
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal(f"n{n}", accounts=[ACCOUNTS[n % 4]["key"]]) for n in range(7)],
        insights=[insight(f"n{n}", said, f"{said}.") for n, said in enumerate([*MANY, MANY[1]])],
        ideas=[idea(insights=[f"n{n}" for n in range(7)])],
    )
    [line] = [line for line in part(document, "Problem").splitlines() if "Nobody" in line]
    assert re.match(r"- R1: “Nobody gets in\.” \((Bolt, Core|Core, Bolt)\)", line)
    assert line.count("“") == 1
    assert re.search(r" See also( \[\d+\]){5}$", line)
    assert len(re.findall(r"\[\d+\]", line)) == 7


async def test_statements_about_the_idea_are_shown_and_the_sources_of_others_named(world: World) -> None:
    about = ["The export stops at night", "No table opens as CSV"]
    said = [*about, "Guests shout", "It rains in the office"]
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal(f"n{n}", accounts=["acme" if one in about else "dune"]) for n, one in enumerate(said)],
        insights=[insight(f"n{n}", one, f"{one}.") for n, one in enumerate(said)],
        ideas=[
            idea(
                description="A table is shown as CSV. The export runs at night, and a clerk prints the list.",
                insights=[f"n{n}" for n in range(len(said))],
            )
        ],
    )
    line = part(document, "Problem").splitlines()[-1]
    assert [one for one in about if f"“{one}.” (Acme)" not in line] == [], line
    assert re.search(r" See also( \[\d+\]){2}$", line)
    assert "Dune" not in line


async def test_what_is_understood_only_with_the_sentence_before_it_stands_with_it_or_is_not_said(world: World) -> None:
    heard = ("The export of tables stops", "They copy each CSV by hand")
    document = await prd(
        world,
        signals=[signal("a"), signal("b")],
        insights=[insight(key, said, f"{said}.") for key, said in zip("ab", heard, strict=True)],
        ideas=[idea(description="A table is shown as CSV. It ends in the cellar.", insights=["a", "b"])],
    )
    assert "“A table is shown as CSV. It ends in the cellar.”" in document["content"]
    assert f"“{heard[0]}.”" in part(document, "Problem")
    assert "See also [" in part(document, "Problem")
    assert "They copy" not in document["content"].partition("## Sources")[0]


async def test_the_first_page_names_the_people_that_ideas_are_about(world: World) -> None:
    said = "A steward writes a list. Stewards and nurses call the printer's owner. If the weaver knows it, nobody asks."
    document = await prd(world, ideas=[idea(description=said)])
    assert re.search(r"^- \*\*Affected:\*\* stewards \[\d\], nurses \[\d\], owners \[\d\], weavers \[\d\]$",
                     part(document, "Summary"), re.MULTILINE)  # fmt: skip


async def test_a_statement_is_closest_to_the_idea_that_it_shares_words_with(world: World) -> None:
    said = ["The stamp falls off the letter", "The bell is too quiet"]
    document = await prd(
        world,
        signals=[signal("a"), signal("b")],
        insights=[insight(key, text, f"{text}.") for key, text in zip("ab", said, strict=True)],
        ideas=[
            idea("bell", "A louder bell", description="The bell should ring.", number=1, insights=["a", "b"]),
            idea("glue", "Stamps that stay", description="A stamp must stay.", number=2, insights=["a", "b"]),
        ],
    )
    lines = part(document, "Problem").splitlines()
    labels = dict(re.findall(r"### (R\d)\. (\w+ \w+)", part(document, "Requirements")))
    found = {labels[line[2:4]]: line.partition("“")[2].partition(".”")[0] for line in lines}
    assert found == {"A louder": said[1], "Stamps that": said[0]}


async def test_a_statement_about_no_single_requirement_stands_with_none(world: World) -> None:
    said = ["The stamp falls off the letter", "The coffee in your office is cold", "The letter never came"]
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal(key, accounts=[account["key"]]) for key, account in zip("abc", ACCOUNTS, strict=False)],
        insights=[insight(key, text, f"{text}.") for key, text in zip("abc", said, strict=True)],
        ideas=[
            idea("glue", "Stamps that stay", description="A stamp on a letter must stay.", insights=[*"abc"]),
            idea("bell", "A louder bell", description="The bell rings for each letter.", insights=[*"abc"]),
        ],
    )
    text = document["content"].partition("## Sources")[0]
    assert [one in text for one in said] == [True, False, False]
    assert "**Who:** 3 customers, 3 signals: Acme " in part(document, "Summary")


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
