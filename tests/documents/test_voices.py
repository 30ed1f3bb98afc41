"""Where the words of customers stand in a PRD: with the sentence that says the same, or not at all."""

import re

import pytest

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.documents.roles import Role, role_of_statement
from sightline.intelligence.embedded.questions import rules
from sightline.intelligence.evidence import SignalMaterial
from tests.documents.conftest import Json
from tests.documents.written import ACCOUNTS, idea, insight, marks, part, prd, signal
from tests.world import World

LOST = "Sails go missing from the shed. The log of each boat is torn and wet after a week."
SHED = "A list of the sails in the shed should be kept, boat by boat."
PIER = "A second sailor should be called when the first one is late at the pier."


async def lines(world: World, said: str, *, category: str = "problem", others: bool = True) -> Json:
    """The document of two ideas of a sailing school, with what a customer says of both or of the first."""
    return await prd(
        world,
        signals=[signal("one")],
        insights=[insight("one", re.sub(r"^\W*\w+[.),] ", "", said), said, category=category)],
        ideas=[
            idea("shed", "Sails in the shed", description=f"{LOST} {SHED}", number=1, insights=["one"]),
            idea("pier", "Nobody waits", description=PIER, number=2, insights=["one"] if others else []),
        ],
    )


async def test_a_number_of_a_list_says_nothing_and_is_not_quoted(world: World) -> None:
    document = await lines(world, "Second, sails of the red boat hang wet in the hall.")
    assert "“sails of the red boat hang wet in the hall.” (" in part(document, "Problem")
    label = re.search(r"### (R\d)\. Sails in the shed", document["content"])
    assert label
    assert f"- {label[1]}: “Sails go missing from the shed.”" in part(document, "Problem")
    assert "Second, sails" not in document["content"].partition("## Sources")[0]


async def test_a_complaint_in_most_words_of_a_sentence_stands_with_it(world: World) -> None:
    said = "Our log is torn and wet, and so is the cover."
    document = await lines(world, said)
    assert re.search(rf": “The log of each boat is torn and wet after a week.” \[\d\] “{said}” \(", document["content"])
    assert document["content"].count(said) == 1


async def test_a_wish_with_common_words_of_a_need_stands_with_it(world: World) -> None:
    said = "We need a list, item by item, boats too."
    document = await lines(world, said, category="request", others=False)
    assert re.search(rf"- “{SHED}” \[\d\] “{said}” \(", part(document, "Requirements"))


async def test_a_wish_with_one_word_of_several_ideas_is_no_requirement(world: World) -> None:
    document = await lines(world, "Open the shed at half past seven please, not at seven sharp!", category="request")
    assert "sharp" not in part(document, "Requirements")
    assert "See also [" in part(document, "Problem")


async def test_what_happens_later_stands_with_what_happened(world: World) -> None:
    said = "Calling the pier does nothing useful. Ten minutes later it's quiet again, because nobody is in."
    document = await prd(world, ideas=[idea(description=f"{said} A bell should ring.")])
    assert f"- R1: “{said}”" in part(document, "Problem")


async def test_several_words_for_one_thing_count_once(world: World) -> None:
    said = "A goat on deck eats ropes while we queue and wait."
    document = await prd(
        world,
        signals=[signal("one")],
        insights=[insight("one", said, said, category="problem")],
        ideas=[
            idea("line", "Boarding", description="At noon people stand in line.", number=1, insights=["one"]),
            idea("pets", "Pets are welcome", description="A goat needs a place on deck.", number=2, insights=["one"]),
        ],
    )
    label = re.search(r"### (R\d)\. Pets are welcome", document["content"])
    assert label
    assert f"- {label[1]}: “{said}”" in part(document, "Problem")


async def test_who_said_the_quoted_words_is_told_from_who_said_it_in_others(world: World) -> None:
    said = ("The wet sails smell of mould.", "The wet sails smell of mould.", "Sails smell mouldy when wet, yuck.")
    keys = ("acme", "bolt", "core")
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal(key, accounts=[key]) for key in keys],
        insights=[insight(key, text, text, category="problem") for key, text in zip(keys, said, strict=True)],
        ideas=[idea("shed", "Dry sails", description="Sails should hang in the shed.", insights=[*keys])],
    )
    pattern = rf"“{re.escape(said[0])}” \((Acme, Bolt|Bolt, Acme); in other words: Core\) \["
    assert re.search(pattern, part(document, "Problem"))


async def test_five_complaints_of_a_requirement_are_shown_and_the_sources_of_the_others_named(world: World) -> None:
    said = (
        "Ropes tangle with oars.",
        "Anchors rust beside buoys.",
        "Flags tear at masts.",
        "The shed floods overnight.",
        "Boats crack on trailers.",
        "Sails smell in cupboards.",
    )
    kept = "Ropes, oars, anchors, buoys, flags, masts, boats, trailers, sails and cupboards are in the shed overnight."
    document = await prd(
        world,
        signals=[signal(str(n)) for n in range(len(said))],
        insights=[insight(str(n), text, text, category="problem") for n, text in enumerate(said)],
        ideas=[idea(description=kept, insights=[str(n) for n in range(len(said))])],
    )
    line = part(document, "Problem")
    assert (sum(one in line for one in said), " See also [" in line) == (5, True)


async def bakery(world: World, *said: str, category: str = "problem") -> Json:
    """The document of two ideas of bakeries, with what customers say that is linked to both."""
    keys = [str(n) for n in range(len(said))]
    return await prd(
        world,
        signals=[signal(key) for key in keys],
        insights=[insight(key, text, text, category=category) for key, text in zip(keys, said, strict=True)],
        ideas=[
            idea("tray", "Trays that are missing", number=1, insights=keys,
                 description="The driver sees how many trays a shop has. A loaf is kept for one customer."),
            idea("oven", "Why was it burnt twice", number=2, insights=keys,
                 description="The baker notes a reason for each batch. The reason is shown to the owner."),
        ],
    )  # fmt: skip


async def test_the_first_complaint_about_several_requirements_needs_two_of_their_words_or_a_figure(
    world: World,
) -> None:
    figures = "Out of ten trays two never come back."
    noise = ("Last week I lost my umbrella.", "Your bill was sent twice.")
    document = await bakery(world, figures, *noise)
    assert f"“{figures}” (" in part(document, "Problem")
    text = document["content"].partition("## Sources")[0]
    assert [one for one in noise if one in text] == []


async def test_a_question_whether_something_can_be_kept_for_one_is_a_request(world: World) -> None:
    said = "Can a loaf be put by for one customer so that no other customer can take it?"
    [found] = embedded_engine().extract_insights(SignalMaterial("conversation", said))
    assert found.category == "request"
    document = await bakery(world, said, category="request")
    assert f"“A loaf is kept for one customer.” {marks(document, 'Trays that are missing')} “{said}” (" in part(
        document, "Requirements"
    )
    other = "Can a loaf be ordered so that no seeds are on it?"
    assert role_of_statement(other, "request") is Role.NEED


@pytest.mark.parametrize(
    "said",
    [
        "If my driver has to wait at the shop for somebody's trays to be counted I'll go back to chalk.",
        "One does not count the trays of a driver.",
        "My drivers sleep by day, and they don't own a phone for trays.",
        "Shops won't install anything for a tray.",
        "We don't want that, a driver who counts trays.",
        "A driver with trays is fine so long as it isn't shown to the shop.",
        "A count of trays by the driver at noon is no count at all.",
    ],
)
async def test_who_refuses_or_threatens_objects_and_has_no_problem(world: World, said: str) -> None:
    document = await bakery(world, said)
    assert f"- “{said}” (" in part(document, "Risks and objections")
    assert document["content"].partition("## Sources")[0].count(said) == 1


async def test_a_wish_that_a_thing_be_not_done_is_an_objection(world: World) -> None:
    said = "Please don't let the driver count the trays."
    document = await bakery(world, said, category="request")
    assert f"- “{said}” (" in part(document, "Risks and objections")


async def test_hours_and_days_do_not_tell_what_a_complaint_is_about(world: World) -> None:
    said = "Since autumn each tray on the tablet is an hour early."
    document = await prd(
        world,
        signals=[signal("one")],
        insights=[insight("one", said, said, category="problem")],
        ideas=[
            idea(
                "in", "Confirmed by phone", description="Within an hour the shop confirms each tray.", insights=["one"]
            ),
            idea("out", "Burnt loaves", description="A reason is noted for each tray.", insights=["one"]),
        ],
    )
    assert said not in document["content"]


async def test_what_customers_tell_of_an_idea_is_not_asked_and_not_missing(world: World) -> None:
    points = {one.point: one.question for one in rules().english.points}
    told = {
        "today": "We call each boat by phone.",
        "how_often": "There were forty calls about sails last week.",
        "risks": "If the sails take longer we'll go back to chalk.",
    }
    asked = [{"key": point, "question": points[point]} for point in (*told, "measure")]
    document = await prd(
        world,
        signals=[signal(key) for key in told],
        insights=[insight(key, said, said, category="problem") for key, said in told.items()],
        ideas=[idea("shed", "Sails in the shed", description=SHED, number=1, insights=list(told), questions=asked)],
    )
    assert [point for point in points if points[point] in part(document, "Open points")] == ["measure"]
    assert "what speaks against it" not in part(document, "Open points")


async def test_a_quote_that_announces_a_list_and_praise_that_leans_on_another_sentence_are_not_shown(
    world: World,
) -> None:
    said = {
        "list": "What was lost from the shed last summer, sails and boat logs:",
        "lean": "He likes the boat list in the shed.",
    }
    document = await prd(
        world,
        signals=[signal(key) for key in said],
        insights=[
            insight(key, text, text, category="praise" if key == "lean" else "problem") for key, text in said.items()
        ],
        ideas=[idea("shed", "Sails in the shed", description=f"{LOST} {SHED}", number=1, insights=list(said))],
    )
    shown = document["content"].partition("## Sources")[0]
    assert [text for text in said.values() if text in shown] == []


async def test_people_who_act_in_an_idea_are_affected_and_those_of_an_open_point_are_not(world: World) -> None:
    said = "Skippers and the household get a list. The rigger confirms it. Tbd: what the buyer sees."
    document = await prd(world, ideas=[idea(description=said)])
    assert "- **Affected:** skippers [2], households [2], riggers [2]\n" in document["content"]
