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
    shown = ((inline(name), ", ".join(labels), marks[name].strip()) for name, labels in rows.items())
    return table(("Feature", "Changed for", "Sources"), shown) or [writing.ask("Parts")]


def scale(writing: Writing) -> list[str]:
    """Lists decisions about sizes, and the load of the design."""
    return [*writing.settled(writing.questions()), writing.ask("Load")]


def data(writing: Writing) -> list[str]:
    return [*writing.settled(writing.questions()), writing.ask("Data")]


def design(writing: Writing) -> list[str]:
    return [writing.ask(name) for name in ("Components", "Interfaces", "Failures", "Alternatives")]


def tests(writing: Writing) -> list[str]:
    """Lists the acceptance criteria of the requirements as tests; the rest is open."""
    labels = ", ".join(one.label for one in writing.requirements)
    lines = [f"- The acceptance criteria of {labels}{writing.of_ideas(writing.material.ideas)}"] if labels else []
    return [*lines, *writing.settled(writing.questions()), writing.ask("Checks")]
