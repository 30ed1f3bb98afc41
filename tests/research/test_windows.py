"""Which window prepared research has, and what a run does with older sources, copies and contradictions."""

import pytest

from tests.research.lab import FORECASTS, Json, Lab, page, section

SAYS = "Planners say that 9 percent of all demand forecasts are wrong."
OTHER = "Planners say that 14 percent of all demand forecasts are wrong."
LONG = " ".join([SAYS, *(f"The {number}. grower tells the same of a forecast of demand." for number in range(9))])
QUESTION = "What share of demand forecasts is wrong?"


@pytest.mark.parametrize(
    ("question", "mode", "days"),
    [
        ("How do planners forecast demand?", "baseline", 30),
        ("How did planners forecast demand in the last 20 days?", "recent", 20),
        ("How did planners forecast demand in the last two years?", "baseline", 90),
        ("How did planners forecast demand in 2024?", "baseline", 90),
    ],
)
async def test_a_prepared_plan_is_recent_if_the_question_names_a_short_window(
    lab: Lab, question: str, mode: str, days: int
) -> None:
    plan = (await lab.run("prepare", question=question)).json()["preparedPlan"]["definition"]
    assert (plan["researchMode"], plan["initialLookbackDays"]) == (mode, days)


async def answered(lab: Lab, question: str = QUESTION, mode: str = "baseline") -> tuple[str, list[Json]]:
    run = await lab.searched(section(questions=[question]), researchMode=mode)
    found = await lab.findings(run)
    return found["answer"]["questions"][0]["answer"], found["items"]


async def test_older_sources_outside_the_window_are_counted(lab: Lab) -> None:
    lab.shelf.pages = {one.url: one for one in (page("old", SAYS, days=200), page("older", OTHER, days=900))}
    said, items = await answered(lab, mode="recent")
    assert items == []
    assert "2 older sources lie outside the window; " in said


async def test_a_word_that_no_source_names_is_told(lab: Lab) -> None:
    lab.shelf.pages = {one.url: one for one in (page("one", SAYS),)}
    said, _ = await answered(lab, "What share of demand forecasts is made by astrologers?")
    assert said == "No finding answers this. No source that was read names “astrologers”."


async def test_a_period_in_the_question_leaves_other_years_out(lab: Lab) -> None:
    lab.shelf.pages = {one.url: one for one in (page("new", SAYS, days=5), page("old", OTHER, days=2_000))}
    _, items = await answered(lab, f"{QUESTION[:-1]} in the last two years?")
    assert [one["url"] for one in items] == ["https://new.example/new"]


async def test_the_summary_names_the_period_of_the_question(lab: Lab) -> None:
    lab.shelf.pages = {one.url: one for one in (page("new", SAYS, days=5), page("old", OTHER, days=2_000))}
    run = await lab.searched(section(questions=[f"{QUESTION[:-1]} in the last two years?"]), researchMode="baseline")
    said = (await lab.findings(run))["answer"]["summary"]
    assert (
        "1 of at most 5 sources found, undated ones and those of other periods left out (in the last two years); "
        in said
    )


async def test_sources_outside_the_period_of_the_question_are_counted(lab: Lab) -> None:
    lab.shelf.pages = {one.url: one for one in (page("new", SAYS, days=5),)}
    said, _ = await answered(lab, f"{QUESTION[:-1]} in 2019?")
    assert "1 other source lies outside the period that the question names; without it such" in said


async def test_a_copied_text_counts_once(lab: Lab) -> None:
    lab.shelf.pages = {one.url: one for one in (page("copy", LONG, days=5), page("first", LONG, days=9))}
    said, items = await answered(lab)
    [only] = items
    assert only["url"] == "https://first.example/first"
    assert only["relevance"]["reason"].endswith(" Also in copy.example.")
    assert " (also in copy.example): “" in said


async def test_contradicting_sources_stand_side_by_side(lab: Lab) -> None:
    lab.shelf.pages = {one.url: one for one in (page("one", SAYS, days=5), page("two", OTHER, days=9))}
    said, _ = await answered(lab)
    assert said.startswith("The sources differ. one.example reported on ")
    assert f"“{SAYS}” In contrast, two.example reported on " in said


async def test_a_definition_without_a_mode_stays_recent(lab: Lab) -> None:
    started = await lab.start(section(FORECASTS))
    configuration = (await lab.brief(started["briefId"]))["configuration"]
    assert configuration["draft"]["definition"]["researchMode"] == "recent"
