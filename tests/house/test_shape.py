"""The shape of the source: small files and functions, thin routes, and no imports of routes or jobs."""

import ast
import re

from tests.house.sources import FUNCTIONS, ROOMS, Function, Source, rooms, sources

LONGEST_FILE = 400
LONGEST_FUNCTION = 40
MOST_STATEMENTS = 8
_IN_A_ROOM = re.compile(r"sightline\.(\w+)(?:\.\w+)*\.(?:routes|jobs)\w*")
VAGUE = {"utils", "util", "helpers", "helper", "common", "base", "manager", "managers", "misc", "core"}
CHOICES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.Match, ast.Try)
EVERYTHING = sources("src", "tests", "benchmarks")
ENTRANCES = {"app", "worker", "cli"}  # which put the rooms together


def length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def test_files_end_at_400_lines() -> None:
    long = {str(source): n for source in EVERYTHING if (n := source.text.count("\n")) > LONGEST_FILE}
    assert not long, f"Split by noun: {long}"


def test_functions_end_at_40_lines() -> None:
    found = ((source, one) for source in EVERYTHING for one in source.functions())
    long = [f"{source}:{one.lineno} {one.name}, {n}" for source, one in found if (n := length(one)) > LONGEST_FUNCTION]
    assert not long, "\n".join([*long, "Give its steps names: a function for each, below, in the order of the calls."])


def test_no_file_has_a_vague_name() -> None:
    vague = [str(source) for source in EVERYTHING if VAGUE & {source.path.stem, source.path.parent.name}]
    assert not vague, f"Name these after what is in them: {vague}"


def test_rules_do_not_import_routes_or_jobs() -> None:
    wrong = [
        f"{source} imports {name}"
        for source in rooms()
        if not source.is_routes and not source.path.stem.startswith("jobs")
        for name in source.imports()
        if (found := _IN_A_ROOM.match(name)) and found[1] in ROOMS
    ]
    assert not wrong, "\n".join([*wrong, "Move what both need into the noun's own file."])


def test_only_entrances_import_routes() -> None:
    wrong = [
        f"{source} imports {name}"
        for source in sources("src/sightline")
        for name in source.imports()
        if name.startswith("sightline.") and ".routes" in name and source.package not in ENTRANCES
    ]
    assert not wrong, "\n".join([*wrong, "Routes are put together in app.py; the rest uses what they call."])


def operations() -> list[tuple[Source, Function]]:
    return [
        (source, function)
        for source in rooms()
        for function in source.functions()
        if any(isinstance(d, ast.Call) and getattr(d.func, "id", "") == "operation" for d in function.decorator_list)
    ]


def test_routes_are_one_sentence_each() -> None:
    declared = operations()
    assert len(declared) > 50
    for source, route in declared:
        check_sentence(source, route)


def check_sentence(source: Source, route: Function) -> None:
    where = f"{source}:{route.lineno} {route.name}"
    assert source.is_routes, f"{where}: declare it in routes.py"
    body = [node for part in route.body for node in ast.walk(part)]
    assert not [node for node in body if isinstance(node, CHOICES)], f"{where} decides: let the noun's file decide"
    statements = [node for node in body if isinstance(node, ast.stmt)]
    assert len(statements) <= MOST_STATEMENTS, f"{where} does {len(statements)} things: let the noun's file do them"
    assert not [node for node in body if isinstance(node, FUNCTIONS)], f"{where} holds a function"


def test_routes_hold_no_sql() -> None:
    found = [f"{source}:{line}" for source in rooms() if source.is_routes for line, _ in source.statements()]
    assert not found, f"SQL belongs into queries.py: {found}"


def test_the_room_of_pages_names_no_room_that_shows_them() -> None:
    named = [str(one) for one in rooms() if one.package == "web" and "portal" in one.text.lower()]
    assert not named, f"Take it as an argument, as Templates takes the package: {named}"
