"""Parts of a technical design: what is known for engineers, and what they have to settle."""

from sightline.intelligence.embedded.documents.markdown import inline
from sightline.intelligence.embedded.documents.writing import Writing, table


def scope(writing: Writing) -> list[str]:
    """Lists the parts of the product that change, by requirement."""
    about = writing.material.initiative
    rows: dict[str, list[str]] = {name: [] for name in about.features}
    marks: dict[str, str] = {name: writing.of_initiative() for name in about.features}
    for one in writing.requirements:
        for name in one.features:
            rows.setdefault(name, []).append(one.label)
            marks[name] = marks.get(name, "") + writing.of_ideas(one.ideas)
    if not rows:
        return [writing.ask("Parts")]
    return table(
        ("Feature", "Changed for", "Sources"),
        ((inline(name), ", ".join(labels), marks[name].strip()) for name, labels in rows.items()),
    )


def scale(writing: Writing) -> list[str]:
    """Lists decisions about sizes, and the load of the design."""
    questions = writing.questions()
    return [*writing.answered(questions), *writing.unanswered(questions), writing.ask("Load")]


def data(writing: Writing) -> list[str]:
    questions = writing.questions()
    return [*writing.answered(questions), *writing.unanswered(questions), writing.ask("Data")]


def design(writing: Writing) -> list[str]:
    return [
        writing.ask("Components"),
        writing.ask("Interfaces"),
        writing.ask("Failures"),
        writing.ask("Alternatives"),
    ]


def tests(writing: Writing) -> list[str]:
    """Lists the acceptance criteria of the requirements as tests; the rest is open."""
    questions = writing.questions()
    labels = ", ".join(one.label for one in writing.requirements)
    lines = [f"- The acceptance criteria of {labels}{writing.of_ideas(writing.material.ideas)}"] if labels else []
    return [*lines, *writing.answered(questions), *writing.unanswered(questions), writing.ask("Checks")]
