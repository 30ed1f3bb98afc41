"""The other headings of a PRD: requirements, goals, measures, questions."""

import re

import pytest

from tests.documents.conftest import written
from tests.documents.written import ACCOUNTS, idea, insight, marks, part, prd, rows, signal
from tests.world import World


async def test_near_identical_ideas_are_one_requirement(world: World) -> None:
    begin, more = "Lines with a new price are marked before an estimate is sent.", "Chains come first of all."
    document = await prd(
        world,
        ideas=[
            idea("a", "Refresh prices before sending", description=begin, number=1),
            idea("b", "Refresh prices before sending, for chains", description=f"{begin} {more}", number=2),
            idea("c", "Print a receipt", description="Paper.", number=3),
        ],
    )
    text = part(document, "Requirements")
    assert len(re.findall(r"^### R", text, re.MULTILINE)) == 2
    assert "- Also asked as **Refresh prices before sending, for chains**" in text
    assert f"- “{more}”" in text
    assert text.count(begin) == 1
    assert {source["publicId"] for source in document["sources"]} >= {"IDEA-1", "IDEA-2", "IDEA-3"}


async def test_a_sentence_of_an_idea_stands_where_it_belongs(world: World) -> None:
    document = await prd(
        world,
        ideas=[
            idea(
                description="A clerk forgets the stamp. Today she keeps a list on paper. It happens twice a week. "
                "The screen should show who has stamped, so that the clerk can ring them. That's it really. "
                "We'd be content if nine of ten letters are stamped. The danger is a stamp on the wrong letter. "
                "Parcels are not part of this."
            )
        ],
    )
    for heading, said in (
        ("Problem", "R1: “A clerk forgets the stamp.”"),
        ("Problem", "R1, today: “Today she keeps a list on paper.”"),
        ("Problem", "R1, extent: “It happens twice a week.”"),
        ("Requirements", "“The screen should show who has stamped”"),
        ("Goals", "“the clerk can ring them.”"),
        ("Success measures", "“We'd be content if nine of ten letters are stamped.”"),
        ("Risks and objections", "“The danger is a stamp on the wrong letter.”"),
        ("Non-goals", "“Parcels are not part of this.”"),
    ):
        assert f"- {said}" in part(document, heading)
        assert document["content"].count(said.partition("“")[2]) == 1
    assert "That's it" not in document["content"]


async def test_how_the_proposal_works_is_a_requirement_also_with_figures(world: World) -> None:
    rules = (
        "A weekly list decides whose phone rings, with a second person after eight minutes.",
        "A ring in the night can never be put off.",
        "Three rings per hour are one call.",
    )
    document = await prd(
        world, ideas=[idea(description=f"Every pump rings at night. We propose three ranks. {' '.join(rules)}")]
    )
    assert "three ranks" not in document["content"]
    assert "Every pump rings at night." in part(document, "Problem")
    for rule in rules:
        assert f"- “{rule}”" in part(document, "Requirements")
        assert document["content"].count(rule) == 1


async def test_items_after_an_announced_list_are_requirements(world: World) -> None:
    document = await prd(
        world,
        ideas=[
            idea(
                description="Bookkeeping, wish list:\n1. A lesson is paid once. Today we compare two lists.\n"
                "2. A credit waits for a second person."
            )
        ],
    )
    assert "“A credit waits for a second person.”" in part(document, "Requirements")
    assert "today: “Today we compare two lists.”" in part(document, "Problem")
    assert "Bookkeeping" not in document["content"]


async def test_before_the_first_need_it_is_the_problem_that_is_told(world: World) -> None:
    document = await prd(
        world,
        ideas=[idea(description="The danger is a long wait. Nine tenants ring the bell. One call should be enough.")],
    )
    assert "“Nine tenants ring the bell.”" in part(document, "Problem")


async def test_what_people_have_to_do_is_their_problem_and_what_the_thing_has_to_do_a_requirement(world: World) -> None:
    problems = ("The groomer opens a card and has to scroll to the breed.", "Dogs wait, and we have to calm them.")
    needs = ("The card has to begin with the breed.", "A groomer has to confirm each bite.")
    document = await prd(world, ideas=[idea(description=" ".join([*problems, *needs]))])
    for one in problems:
        assert f"R1: “{one}”" in part(document, "Problem")
    for one in needs:
        assert f"- “{one}”" in part(document, "Requirements")


async def test_where_an_idea_comes_from_and_asides_are_left_out(world: World) -> None:
    document = await prd(
        world,
        ideas=[
            idea(
                description="Proposal from the office, after 14 interviews in autumn. The list should be short. "
                "I am sixty-eight and I need my sleep. By the way, the teacher is a treasure."
            )
        ],
    )
    assert "“The list should be short.”" in part(document, "Requirements")
    for aside in ("14 interviews", "sixty-eight", "treasure"):
        assert aside not in document["content"]


async def test_what_an_idea_leaves_open_is_an_open_point(world: World) -> None:
    said = (
        "It's unclear who may print it.",
        "Open to me is whether a shop may see it.",
        "Unclear to me: what about video?",
        "Whether clerks may change it is still open.",
    )
    document = await prd(world, ideas=[idea(description=f"The list should be short. {' '.join(said)}")])
    for one in said:
        assert f"- Open: “{one}” [" in part(document, "Open points")


async def test_what_an_idea_is_not_about_is_no_goal_of_it(world: World) -> None:
    said = (
        "This isn't about the prices.",
        "Not wanted: tracking of the vans.",
        "Billing isn't touched by this.",
        "Cats are not included.",
    )
    document = await prd(world, ideas=[idea(description=f"The list should be short. {' '.join(said)}")])
    for one in said:
        assert f"- “{one}” [" in part(document, "Non-goals")


async def test_a_measure_has_the_figure_of_today_that_stands_before_it(world: World) -> None:
    said = "We had 212 alarms in March. The aim is fewer than 20."
    document = await prd(world, ideas=[idea(description=f"The list should be short. {said}")])
    assert part(document, "Success measures").startswith(f"- “{said}” [")
    assert document["content"].count("212") == 1


async def test_a_goal_with_a_figure_or_under_that_name_is_a_measure(world: World) -> None:
    said = (
        "Goal: a washed dog within an hour.",
        "Collection on the same day is the goal.",
        "Bites should be halved.",
        "We want two thirds of dogs dried by noon.",
    )
    problem = "The list shows the planned breed in place of the measured one."
    document = await prd(world, ideas=[idea(description=f"{problem} The card should be short. {' '.join(said)}")])
    assert part(document, "Success measures").count("\n") == len(said) - 1
    for one in said:
        assert f"- “{one}”" in part(document, "Success measures")
    assert f"R1: “{problem}”" in part(document, "Problem")


async def test_what_an_idea_states_is_not_missing(world: World) -> None:
    said = "The oven log must be kept by law. The pilot is in two bakeries. The aim is fewer than three burnt trays."
    document = await prd(world, ideas=[idea(description=said)])
    [missing] = re.findall(r"Open, not recorded:\*\* (.*)", document["content"])
    assert not {"goal", "rules and limits", "rollout", "measure and target"} & set(missing.split(", "))
    assert "what it leaves out" in missing


@pytest.mark.parametrize(
    ("said", "answer", "is_missing"),
    [
        ("The ferry list should be short.", None, True),
        ("Skippers walk round without a list. One list would help.", None, True),
        ("A child may never travel alone.", None, False),
        ("The ferry list should be short.", "Only skippers.", False),
    ],
)
async def test_a_rule_among_requirements_and_answers_is_not_missing(
    world: World, said: str, answer: str | None, is_missing: bool
) -> None:
    asked = {"key": "q", "question": "Who sees it?", "answer": answer, "status": "answered" if answer else "pending"}
    document = await prd(world, ideas=[idea(description=said, questions=[asked])])
    assert (" rules and limits," in part(document, "Open points")) is is_missing


async def test_a_wish_for_a_function_is_a_requirement_and_one_for_an_outcome_a_goal(world: World) -> None:
    text, rest = "We'd appreciate a text when a pump is silent.", "I must not miss a call in the night."
    document = await prd(
        world,
        signals=[signal("text"), signal("rest")],
        insights=[insight("text", text, text, category="request"), insight("rest", rest, rest, category="request")],
        ideas=[idea(insights=["text", "rest"])],
    )
    assert f"- “{text}”" in part(document, "Requirements")
    assert part(document, "Goals").count("\n") == 0
    assert rest in part(document, "Goals")


async def test_answers_are_under_their_heading_and_open_questions_on_the_first_page(world: World) -> None:
    questions = [
        ("Which figure shows that it works?", "Hours to an answer: 5 today, 1 by summer."),
        ("Which regulation applies?", None),
        ("Who gets the pilot?", "Acme."),
        ("What stays out of scope?", "Payment."),
        ("What is shown while it runs?", "A bar."),
        ("Who may stop it?", None),
    ]
    asked = [
        {"key": f"q{n}", "question": question, "answer": answer, "status": "answered" if answer else "pending"}
        for n, (question, answer) in enumerate(questions)
    ]
    document = await prd(world, ideas=[idea(questions=asked)])
    for heading, words in (
        ("Success measures", "5 today, 1 by summer."),
        ("Open points", "Which regulation applies?"),
        ("Rollout", "Acme."),
        ("Non-goals", "Payment."),
        ("Requirements", "A bar."),
        ("Open points", "Who may stop it?"),
    ):
        assert words in part(document, heading)
        assert document["content"].partition("## Sources")[0].count(words) == 1
    [missing] = re.findall(r"Open, not recorded:\*\* (.*)", document["content"])
    assert not {"measure and target", "what it leaves out", "rollout"} & set(missing.split(", "))


async def test_a_question_that_several_ideas_are_asked_is_one_line(world: World) -> None:
    asked = [{"key": f"q{n}", "question": "Who may see it?", "status": "pending"} for n in (1, 2)]
    document = await prd(
        world,
        ideas=[
            idea("a", "Exports", number=1, questions=asked[:1]),
            idea("b", "Stamps", description="Letters.", number=2, questions=asked[1:]),
        ],
    )
    assert part(document, "Open points").count("Who may see it? (IDEA-1, IDEA-2)") == 1


async def test_a_question_that_the_description_answers_by_now_is_not_asked(world: World) -> None:
    often = "How often does this come up, and for how many people?"
    asked = [{"key": "q", "question": often, "status": "pending"}, {"key": "r", "question": "Who pays?"}]
    document = await prd(world, ideas=[idea(description="It is shown four times a day.", questions=asked)])
    assert often not in document["content"]
    assert "Who pays?" in part(document, "Open points")


async def test_goals_are_wishes_of_customers_and_an_opportunity_alone_is_none(world: World) -> None:
    document = await prd(
        world,
        opportunities=[{"key": "data", "name": "Data stays inside", "description": "Nobody gets it out."}],
        accounts=ACCOUNTS,
        signals=[signal("one", accounts=["bolt"])],
        insights=[insight("one", "I want to leave on time", "I want to leave on time.", category="request")],
        ideas=[idea(opportunities=["data"], insights=["one"])],
    )
    goals = part(document, "Goals")
    assert "- “I want to leave on time.” (Bolt) [" in goals
    assert "- Opportunity: **Data stays inside**: Nobody gets it out." in goals
    await world.client.patch("/initiatives/INITIATIVE-1", json={"description": "Exports run alone."})
    again = await written(world, "INITIATIVE_BRIEF")
    assert "“I want to leave on time.”" in part(again, "What it shall achieve")
    assert "- Opportunity: **Data stays inside**" in part(await written(world, "TDD"), "Goals")


async def test_without_any_goal_it_is_open(world: World) -> None:
    document = await prd(world, ideas=[idea()])
    assert " goal," not in part(document, "Open points"), "the description of the initiative has a purpose"
    await world.client.patch("/initiatives/INITIATIVE-1", json={"description": "Exports run alone."})
    assert " goal," in part(await written(world, "INITIATIVE_BRIEF"), "Open points")


async def test_what_is_guessed_is_no_requirement_and_what_must_not_be_measured_no_measure(world: World) -> None:
    said = ("Before each tour somebody guesses what is needed.", "The works council wants to measure nobody.")
    document = await prd(world, ideas=[idea(description=f"{said[0]} The van should have a list. {said[1]}")])
    assert f"“{said[0]}”" in part(document, "Problem")
    assert f"- “{said[1]}” [" in part(document, "Risks and objections")


async def test_a_short_statement_is_about_the_idea_that_it_has_the_words_of(world: World) -> None:
    said = "We cannot see who is in which turbine."
    document = await prd(
        world,
        signals=[signal("one")],
        insights=[insight("one", said, said, category="problem")],
        ideas=[
            idea("a", "Packing list", description="Parts of a turbine miss. The van should have a list.", number=1,
                 insights=["one"]),
            idea("b", "Who is in a turbine", description="Technicians should check in.", number=2, insights=["one"]),
        ],
    )  # fmt: skip
    label = re.search(r"### (R\d)\. Who is in a turbine", document["content"])
    assert label
    assert f"- {label[1]}: “{said}”" in part(document, "Problem")


async def test_a_wish_stands_with_the_sentence_that_answers_it(world: World) -> None:
    said = "I wish the export showed tables with long names."
    document = await prd(
        world,
        signals=[signal("one")],
        insights=[insight("one", said, said, category="request")],
        ideas=[idea(description="Tables with long names should fit.", insights=["one"])],
    )
    assert f"- “Tables with long names should fit.” {marks(document, 'Export a table as CSV')} “{said}” (" in part(
        document, "Requirements"
    )
    assert document["content"].count(said) == 1


async def test_a_wish_in_the_words_of_the_heading_above_it_is_not_said_again(world: World) -> None:
    wish, problem = "All tuners on one map please, please.", "Tuners get lost on the way."
    document = await prd(
        world,
        signals=[signal("one"), signal("two")],
        insights=[insight("one", wish, wish, category="request"), insight("two", problem, problem, category="problem")],
        ideas=[
            idea("a", "All tuners on one map", description="The office should see each van.", number=1,
                 insights=["one"]),
            idea("b", "Tuners get lost on the way", description="A call should do.", number=2, insights=["two"]),
        ],
    )  # fmt: skip
    assert wish not in document["content"]
    assert f"“{problem}”" in part(document, "Problem")


async def test_a_heard_figure_is_a_measure_only_where_someone_wants_it_reached(world: World) -> None:
    document = await prd(
        world,
        signals=[signal("n"), signal("t"), signal("s")],
        insights=[
            insight("n", "1,204 answers came after a day", "1,204 answers came after a day."),
            insight("t", "An answer should take under 5 minutes", "An answer should take under 5 minutes."),
            insight("s", "We need the list within < 2 s", "We need the list within < 2 s.", category="request"),
        ],
        ideas=[idea(insights=["n", "t", "s"])],
        studies=[{"key": "s", "name": "Interviews", "number": 3, "initiatives": ["out"]}],
        feedback=[
            {
                "key": f"f{rating}",
                "study": "s",
                "rating": rating,
                "metric": "ease",
                "subject": {"type": "initiative", "id": "out"},
                "source": "study_completion",
                "submittedAt": "2026-01-01T00:00:00Z",
            }
            for rating in (4, 7)
        ],
    )
    measures = part(document, "Success measures")
    assert f"- Rated today: ease 5.5 on average, 2 ratings (STUDY-3) {marks(document, 'Interviews')}" in measures
    assert "- “An answer should take under 5 minutes.”" in measures
    assert "- “We need the list within \\< 2 s.”" in measures
    assert "1,204" not in measures
    assert "1,204" in part(document, "Problem")


async def test_a_technical_design_says_which_features_change_for_what(world: World) -> None:
    document = await prd(
        world,
        "TDD",
        products=[{"key": "app", "name": "App", "features": [{"key": "x", "name": "Exports"}]}],
        ideas=[
            idea(
                product="app",
                features=["x"],
                questions=[
                    {"key": "q", "question": "How many rows?", "answer": "Ten thousand.", "status": "answered"},
                    {"key": "r", "question": "Do we keep the file?", "answer": "A day.", "status": "answered"},
                ],
            )
        ],
    )
    assert rows(part(document, "Scope"))[0][:2] == ["Exports", "R1"]
    assert "Ten thousand." in part(document, "Scale")
    assert "A day." in part(document, "Data and privacy")
