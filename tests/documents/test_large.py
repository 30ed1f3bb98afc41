"""Documents of much material: all of it is read, within bounds that the document names."""

import random
import re
from itertools import combinations
from threading import current_thread, main_thread
from typing import Any

import pytest

from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.intelligence.material import LONGEST_DESCRIPTION, DocumentType, Draft, Material
from tests.documents.conftest import AT, carry_out, written
from tests.documents.test_writer import insight, material
from tests.documents.written import INITIATIVE, idea, part
from tests.documents.written import insight as heard
from tests.world import World

MANY = 1_000
WORDS = ("export", "import", "upload", "download", "report", "invoice", "ledger", "payment", "refund", "order")


def of_few_words() -> Material:
    """Insights with so few words that each one is as near to many others."""
    titles = [" ".join(words) for words in combinations(WORDS, 4)]
    random.Random(1).shuffle(titles)
    insights = [insight(at, title) for at, title in enumerate(titles, 100)]
    return material()._replace(insights=insights, evidence=[])


@pytest.mark.slow
async def test_a_document_of_a_thousand_ideas_and_insights_has_them_all(world: World) -> None:
    """The last idea asks for the same as the first one."""
    ideas = [
        idea(f"i{n}", f"Print list{n} at hub{n}", description=f"Crew{n} must see list{n}.", insights=[f"h{n}"],
             questions=[{"key": f"q{n}", "question": f"Who is crew{n}?", "status": "answered", "answer": f"Shift{n}."}])
        for n in range(MANY)
    ]  # fmt: skip
    ideas.append(idea("again", "Print list0 at hub0", description="Crew0 must see list0."))
    found = [heard(f"h{n}", f"Slow page{n} of door{n}", f"I wait for page{n}.") for n in range(MANY)]
    signals = [{"key": f"s-h{n}", "name": f"Call {n}"} for n in range(MANY)]
    await world.add(initiatives=[INITIATIVE], signals=signals, insights=found, ideas=ideas)
    document = await written(world, "PRD")
    requirements = re.split(r"\n### ", part(document, "Requirements"))
    said = {number: each for each in requirements for number in re.findall(r"“Crew(\d+) must see", each)}
    assert (len(requirements), len(said)) == (MANY, MANY)
    assert all(f"**Who is crew{n}?** Shift{n}." in said[str(n)] for n in range(MANY))
    assert "Also asked as **Print list0 at hub0**" in said["0"]
    problems = part(document, "Problem")
    assert all(f"**Slow page{n} of door{n}**" in problems and f"“I wait for page{n}.”" in problems for n in range(MANY))
    kinds = [source["kind"] for source in document["sources"]]
    assert (kinds.count("idea"), kinds.count("insight"), kinds.count("question")) == (MANY + 1, MANY, MANY)


class Noting:
    """The embedded engine; `threads` says for each document whether the thread of all jobs wrote it."""

    name, version = "noting", "1"

    def __init__(self) -> None:
        self.threads: list[bool] = []

    def write_document(self, type: DocumentType, material: Material) -> Draft:
        self.threads.append(current_thread() is main_thread())
        return embedded_engine().write_document(type, material)


@pytest.mark.parametrize(
    "many",
    [
        {"ideas": [idea(f"i{n}", f"{n}", description="a") for n in range(150)]},
        {
            "ideas": [idea(insights=[f"{n}" for n in range(150)])],
            "insights": [{"key": f"{n}", "title": f"{n}", "reviewState": "rejected"} for n in range(150)],
        },
    ],
    ids=["ideas", "rejected insights"],
)
async def test_a_document_of_many_short_records_holds_up_no_other_job(world: World, many: dict[str, Any]) -> None:
    engine = Noting()
    await world.add(initiatives=[INITIATIVE], ideas=[idea("one")])
    for type in ("PRD", "TDD"):
        receipt = (await world.client.post(f"{AT}/documents", json={"type": type})).json()
        await carry_out(world, receipt, {EmbeddedEngine: engine})
        await world.add(**many)
    assert engine.threads == [True, False]


async def test_a_quote_of_many_of_one_signal_stands_once(world: World) -> None:
    texts = [f"We wait {n} minutes for the export of list{n}" for n in range(200)]
    extracts = [{"text": text, "signal": "s-a"} for text in [*texts, *texts, texts[0][3:]]]
    insights = [heard("a", "Exports are slow", "", extracts=extracts)]
    await world.add(
        initiatives=[INITIATIVE], signals=[{"key": "s-a", "name": "a"}], insights=insights, ideas=[idea(insights=["a"])]
    )
    problem = part(await written(world, "PRD"), "Problem")
    assert problem.count("  > “We wait 0 minutes") == problem.count("  > “We wait 1 minutes") == 1


@pytest.mark.parametrize(("length", "has_more"), [(LONGEST_DESCRIPTION, False), (LONGEST_DESCRIPTION + 1, True)])
async def test_of_a_very_long_description_the_beginning_is_read_and_the_rest_named(
    world: World, length: int, has_more: bool
) -> None:
    text = ("Clerks must see the list.\n\n" + "a\n" * LONGEST_DESCRIPTION)[: length - 1] + "z"
    await world.add(initiatives=[INITIATIVE], ideas=[idea(description=text, number=1)])
    requirements = part(await written(world, "PRD"), "Requirements")
    assert "Clerks must see the list." in requirements
    assert ("- More text stands in IDEA-1 [" in requirements) is has_more


def test_lines_of_one_paragraph_are_one_paragraph() -> None:
    text = "".join(f"line {n}\n" for n in range(5_000))
    plain = material()
    long = plain._replace(initiative=plain.initiative._replace(description=text))
    content = embedded_engine().write_document(DocumentType.INITIATIVE_BRIEF, long).content
    assert f"\n{' '.join(text.splitlines())}. [1]\n" in content
