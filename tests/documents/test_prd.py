"""The other headings of a PRD: requirements, goals, measures, questions, and the table that connects them."""

import re

from tests.documents.conftest import written
from tests.documents.written import ACCOUNTS, idea, insight, marks, part, prd, rows, signal
from tests.world import World


async def test_near_identical_ideas_are_one_requirement(world: World) -> None:
    begin = "Lines with a new price are marked before an estimate is sent."
    document = await prd(
        world,
        ideas=[
            idea("a", "Refresh prices before sending", description=begin, number=1),
            idea("b", "Refresh prices before sending, for chains", description=f"{begin} Chains first.", number=2),
            idea("c", "Print a receipt", description="Paper.", number=3),
        ],
    )
    text = part(document, "Requirements")
    assert len(re.findall(r"^### R", text, re.MULTILINE)) == 2
    assert "Also asked as **Refresh prices before sending, for chains**: Chains first." in text
    assert text.count(begin) == 2  # the requirement, and the criterion it is quoted as
    assert {source["publicId"] for source in document["sources"]} >= {"IDEA-1", "IDEA-2", "IDEA-3"}


async def test_a_table_leads_from_requirement_to_problem_to_quote_to_customer(world: World) -> None:
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal("one", number=7, accounts=["bolt"])],
        insights=[insight("one", "Exports are slow", "We wait | for hours.", accounts=["acme"])],
        ideas=[
            idea("csv", "Export", number=1, insights=["one"]),
            idea("pdf", "Print", description="Paper.", number=2, accounts=["dune"]),
        ],
    )
    one, of_idea, other = (marks(document, title) for title in ("Exports are slow", "Export", "Print"))
    assert rows(part(document, "Traceability")) == [
        [
            f"R1 Export {of_idea}",
            "P1 Exports are slow",
            rf"“We wait \| for hours.” {one}",
            "SIGNAL-7",
            "Bolt",
        ],
        ["R1", "P1", f"no quote {one}", "–", "Acme"],  # noqa: RUF001 - an empty cell
        [f"R2 Print {other}", "none recorded", "–", "–", "Dune"],  # noqa: RUF001 - likewise
    ]


async def test_answers_and_questions_are_under_their_heading(world: World) -> None:
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
        ("Constraints", "Which regulation applies?"),
        ("Rollout", "Acme."),
        ("Non-goals", "Payment."),
        ("Requirements", "A bar."),
        ("Requirements", "Who may stop it?"),
    ):
        assert words in part(document, heading)
        assert document["content"].partition("## Open points")[0].count(words) == 1
    for settled in ("Measure and target", "Target", "Boundaries"):
        assert f" {settled}:**" not in document["content"]
    assert re.search(r"- O\d+, Constraints: Which regulation applies\? \(IDEA-1\) \[\d+\]", document["content"])


async def test_a_purpose_is_a_goal_and_an_opportunity_alone_is_not(world: World) -> None:
    document = await prd(
        world,
        opportunities=[{"key": "data", "name": "Data stays inside", "description": "Nobody gets it out."}],
        ideas=[idea(opportunities=["data"])],
    )
    goals = part(document, "Goals")
    assert f"- “so that nobody waits for support.” {marks(document, 'Exports')}" in goals
    assert "- Opportunity: **Data stays inside**: Nobody gets it out." in goals
    assert "Goal:**" not in goals
    await world.client.patch("/initiatives/INITIATIVE-1", json={"description": "Exports run alone."})
    again = await written(world, "INITIATIVE_BRIEF")
    assert "Goal:**" in part(again, "What it shall achieve")


async def test_an_acceptance_criterion_is_quoted_or_asked_for(world: World) -> None:
    document = await prd(
        world,
        ideas=[
            idea("a", "Export", description="It is big. Every row is shown within a minute.", number=1),
            idea("b", "Print", description="Paper helps.", number=2),
        ],
    )
    first, second = part(document, "Requirements").split("### R2. ")
    assert "- “Every row is shown within a minute.”" in first
    assert "“It is big.”" not in first
    assert re.search(r"- \*\*O\d+ Acceptance of R2:\*\*", second)
    assert re.search(r"- \*\*O\d+ Problem of R2:\*\*", second)


async def test_a_baseline_comes_from_studies_and_quoted_figures(world: World) -> None:
    document = await prd(
        world,
        signals=[signal("n"), signal("t")],
        insights=[
            insight("n", "Answers take long", "1,204 answers came after a day."),
            insight("t", "Nobody is reached", "I rang at eleven."),
        ],
        ideas=[idea(insights=["n", "t"])],
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
    assert "- Figure heard: “1,204 answers came after a day.”" in measures
    assert "at eleven" not in measures
    assert "Measure and target:**" in measures


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
