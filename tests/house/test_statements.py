"""SQL by name: values agree with their statements, and nothing is mended or counted afterwards."""

import ast
import importlib
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from sightline.platform.db.sql import Statement
from tests.house.sources import Source, sources

# Values would need a prepared statement, which the pooler that is looked for may not keep.
MENDED = {"src/sightline/platform/db/notifications.py"}
SOURCES = [one for one in sources("src/sightline") if one.package != "migrations"]
CALLS = {"row", "rows", "value", "run", "run_many"}
FILLED_IN = {"now", "clock_offset"}
_SQL = re.compile(r"\b(?:SELECT|FROM|INSERT INTO|UPDATE|WHERE|coalesce)\b")
_MENDS = re.compile(r"\.(?:replace|format)\(")
_NUMBERED = re.compile(r"\$\d")
_SPLIT = re.compile(r"^(?:queries|records|routes|section)_\w+$")


def test_files_are_named_by_their_noun() -> None:
    found = [str(source) for source in SOURCES if _SPLIT.match(source.path.stem)]
    assert not found, f"Give each noun a folder with routes.py, records.py, queries.py: {found}"


def test_values_travel_by_name() -> None:
    found = [f"{source}:{line}" for source in SOURCES for line, text in source.statements() if _NUMBERED.search(text)]
    assert not found, f"Write sql('... :name ...') and tx.row(STATEMENT, name=value): {found}"


def calls(source: Source) -> Iterator[tuple[ast.Call, str]]:
    """The calls that run a statement, each with how the statement is written: `FIND` or `queries.FIND`."""
    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS:
            statement = node.args[0] if node.args else None
            if isinstance(statement, ast.Name | ast.Attribute):
                yield node, ast.unparse(statement)


def resolve(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def misfits(source: Source) -> Iterator[str]:
    """The calls whose values are not those that their statement names."""
    module: ModuleType | None = None
    for call, name in calls(source):
        module = module or importlib.import_module(source.module)
        statement = resolve(module, name)
        if not isinstance(statement, Statement) or any(keyword.arg is None for keyword in call.keywords):
            continue
        if call.func.attr == "run_many":  # type: ignore[attr-defined]  # calls() yields methods only
            continue
        given, named = {str(keyword.arg) for keyword in call.keywords}, set(statement.names)
        if missing := named - given - FILLED_IN:
            yield f"{source}:{call.lineno} {name} misses {sorted(missing)}"
        if surplus := given - named:
            yield f"{source}:{call.lineno} {name} has no {sorted(surplus)}"


def test_calls_give_a_statement_the_values_it_names() -> None:
    wrong = [misfit for source in SOURCES for misfit in misfits(source)]
    assert not wrong, "\n".join(wrong)


def mended(source: Source) -> Iterator[str]:
    """The calls of `replace` and `format` on SQL: on a text as it stands, or on a constant."""
    module = importlib.import_module(source.module)
    for node in source.nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        of = node.func.value
        text = of.value if isinstance(of, ast.Constant) else resolve(module, ast.unparse(of))
        if node.func.attr in ("replace", "format") and isinstance(text, str) and _SQL.search(text):
            yield f"{source}:{node.lineno} {ast.unparse(node.func)[:60]}"


def test_no_statement_is_mended() -> None:
    checked = [source for source in SOURCES if str(source) not in MENDED and _MENDS.search(source.text)]
    found = [call for source in checked for call in mended(source)]
    assert not found, "\n".join([*found, "Use sql(TEXT, piece=...), or a function that returns an f-string."])
