"""How many a document says ask for what: only what links say, never what words alone suggest."""

from tests.documents.written import ACCOUNTS, idea, insight, part, prd, signal
from tests.world import World

QUEUE, CHALK = "The queue at the wall is endless.", "Chalk dust settles on the desk."
ROPES = [
    idea("queue", "A queue for each wall", description="Climbers should see who is next at a wall.", number=1),
    idea("chalk", "Less chalk in the air", description="The hall should be cleaned of chalk at noon.", number=2),
]


async def test_who_says_it_of_several_requirements_counts_for_all_of_them_and_for_none_alone(world: World) -> None:
    said = (QUEUE, "We stand about for an hour until the top rope is free.")
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal("a", accounts=["acme"]), signal("b", accounts=["bolt"])],
        insights=[insight(key, text, text, category="problem") for key, text in zip("ab", said, strict=True)],
        ideas=[{**one, "insights": ["a", "b"]} for one in ROPES],
    )
    summary = part(document, "Summary")
    assert "- **Who:** 2 customers, 2 signals: Acme [2], Bolt [3]" in summary
    assert "A queue for each wall [" in summary
    assert (
        "from 2 signals, 0 reviewed by a person; 2 linked to several requirements and sorted by their words" in summary
    )
    assert f"“{QUEUE}” (Acme)" in part(document, "Problem")


async def test_who_says_it_of_one_requirement_counts_for_it_whatever_the_words(world: World) -> None:
    said = ("It took my whole evening.", "Nobody told us a thing.", CHALK)
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal(key, accounts=[account["key"]]) for key, account in zip("abc", ACCOUNTS, strict=False)],
        insights=[insight(key, text, text, category="problem") for key, text in zip("abc", said, strict=True)],
        ideas=[
            {**ROPES[0], "insights": ["a", {"insight": "b", "validated": True}]},
            {**ROPES[1], "insights": ["b", "c"]},
        ],
    )
    summary = part(document, "Summary")
    assert "A queue for each wall (2 customers, 2 signals)" in summary
    assert "Less chalk in the air (1 customer, 1 signal)" in summary
    assert "several" not in summary


async def test_a_count_of_links_is_the_least_where_others_are_linked_to_several(world: World) -> None:
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[signal("a", accounts=["acme"]), signal("b", accounts=["bolt"])],
        insights=[insight("a", QUEUE, QUEUE), insight("b", CHALK, CHALK)],
        ideas=[{**ROPES[0], "insights": ["a", "b"]}, {**ROPES[1], "insights": ["b"]}],
    )
    summary = part(document, "Summary")
    assert "A queue for each wall (at least 1 customer, 1 signal)" in summary
    assert "Less chalk in the air [" in summary


async def test_the_customer_of_accepted_evidence_counts_also_without_an_insight(world: World) -> None:
    document = await prd(
        world,
        accounts=ACCOUNTS,
        signals=[
            signal("a", accounts=["acme"]),
            signal("b", accounts=["bolt"], initiatives=[{"initiative": "out", "accepted": True}]),
            signal("c", accounts=["core"], initiatives=[{"initiative": "out", "accepted": False}]),
        ],
        insights=[insight("a", QUEUE, QUEUE)],
        ideas=[{**ROPES[0], "insights": ["a"]}],
    )
    summary = part(document, "Summary")
    assert "- **Who:** 2 customers, 2 signals: Acme [2], Bolt [1]" in summary
    assert "A queue for each wall (at least 1 customer, 1 signal)" in summary
