"""Things that the source may not have: exceptions without a reason, other clocks, machines, hosts and secrets."""

import ast
import re
from collections.abc import Iterator

from tests.house.sources import ROOMS, ROOT, Source, sources

EVERYTHING = sources("src", "tests", "benchmarks")
TEXTS = [
    path
    for folder in ("src", "tests", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".sql", ".md", ".yaml", ".toml", ".html", ".json", ".css", ".txt"}
    and "docs_assets" not in path.parts  # comes from elsewhere, unchanged
] + [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "pyproject.toml")]

_EXCEPTION = re.compile(r"#\s*(noqa|type:\s*ignore)\b(.*)")
_REASONED = {
    "noqa": re.compile(r":\s*[A-Z]+[0-9]+(?:,\s*[A-Z]+[0-9]+)*\s+-\s+\w.*"),
    "type": re.compile(r"\[[\w, -]+\]\s+#\s+\w.*"),
}
_OF_TESTS = re.compile(r":\s*S608\s*")  # tests read tables by names from the tests, never from a request
_CLOCK = re.compile(r"\bdatetime\.(now|utcnow|today)\b|\bdate\.today\b|\btime\.time\b")
_SQL_CLOCK = re.compile(r"\b(now|clock_timestamp|statement_timestamp)\(\)|\bcurrent_(timestamp|date)\b", re.IGNORECASE)
CLOCKED = [one for one in EVERYTHING if one.package in (*ROOMS, "workspace_file", "platform")]
OTHER_CLOCKS = {
    "platform/clock.py": "is the clock",
    "platform/logs.py": "a line of the log has the real time, also in tests",
    "platform/http/throttle.py": "counts minutes in memory; its clock is handed in",
}
_MACHINE = re.compile(r"(?<![\w.])/(?:work|home|Users|root|mnt|workspace)/[\w.-]+")
OF_NO_MACHINE = {"/home/x": "stands for anybody's folder"}
_HOST = re.compile(r"\b(?:https?|wss?|postgres(?:ql)?)://(?:[^\s/@\"'`{}<>]*@)?([A-Za-z0-9\[][\w.:\[\]-]*)")
_OURS = re.compile(r"(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[[0-9a-f:]+\]|([\w-]+\.)*(test|example|invalid))(:\d+)?")
DOCUMENTED = {
    "api.search.brave.com": "default of SIGHTLINE_BRAVE_URL",
    "api.tavily.com": "default of SIGHTLINE_TAVILY_URL",
    "api.exa.ai": "default of SIGHTLINE_EXA_URL",
    "itunes.apple.com": "default of SIGHTLINE_APP_STORE_URL",
    "keepachangelog.com": "form of the changelog",
    "schema.org": "names a format, is not asked",
    "semver.org": "form of versions",
    "json-schema.org": "names a dialect, is not asked",
    "spec.openapis.org": "names a dialect, is not asked",
    "www.apache.org": "the licence",
    "www.sitemaps.org": "names a format, is not asked",
    "www.w3.org": "names a format, is not asked",
}
_SECRET = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{30,}|\bxox[abp]-\w{10,}"
    r"|\bsl_\w{8,}_\w{40,}|\bsk-\w{30,}"
)


def lines(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        for found in pattern.finditer(line):
            yield number, found


def test_every_exception_from_lint_and_types_carries_its_reason() -> None:
    found = []
    for source in EVERYTHING:
        for number, comment in source.comments() if _EXCEPTION.search(source.text) else ():
            exception = _EXCEPTION.match(comment)
            if exception and not _is_reasoned(exception, is_test=not source.package):
                found.append(f"{source}:{number} {comment}")
    form = "Write `# noqa: CODE - why` or `# type: ignore[code]  # why`, or do without."
    assert not found, "\n".join([*found, form])


def _is_reasoned(exception: re.Match[str], *, is_test: bool) -> bool:
    kind, rest = exception[1].partition(":")[0], exception[2].rstrip()
    return bool(_REASONED[kind].fullmatch(rest) or (is_test and _OF_TESTS.fullmatch(rest)))


def clocks(source: Source) -> Iterator[int]:
    """The lines that read a clock."""
    yield from (number for number, _ in lines(_CLOCK, source.text))
    if source.package in ROOMS:
        yield from (number for number, text in source.statements() if _SQL_CLOCK.search(text))


def test_the_transactions_moment_is_the_only_clock() -> None:
    checked = [one for one in CLOCKED if str(one).removeprefix("src/sightline/") not in OTHER_CLOCKS]
    found = [f"{source}:{number}" for source in checked for number in clocks(source)]
    assert not found, "\n".join([*found, "Take `tx.now`, which tests can move."])


def test_no_path_of_somebodys_machine_is_named() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number} {place[0]}"
        for path in TEXTS
        for number, place in lines(_MACHINE, path.read_text())
        if not place[0].startswith(tuple(OF_NO_MACHINE))
    ]
    assert not found, "\n".join([*found, "It is there on one machine only: make it relative, or a setting."])


def test_nothing_names_a_host_of_others() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number} {host[1]}"
        for path in TEXTS
        if path.suffix != ".md" and path.name != "pyproject.toml"
        for number, host in lines(_HOST, path.read_text())
        if "." in host[1] and not _OURS.fullmatch(host[1].rstrip(".:")) and host[1].rstrip(".:") not in DOCUMENTED
    ]
    assert not found, "\n".join([*found, "Use .test or .example; a real address has to be a documented setting."])


def test_no_secret_is_kept_in_the_repository() -> None:
    found = [f"{path.relative_to(ROOT)}:{number}" for path in TEXTS for number, _ in lines(_SECRET, path.read_text())]
    assert not found, f"Take it out, and make a new one, as this one is known now: {found}"


def test_no_conflict_is_left_unresolved() -> None:
    marker = re.compile(r"^(?:<{7} |={7}$|>{7} )")
    found = [f"{path.relative_to(ROOT)}:{number}" for path in TEXTS for number, _ in lines(marker, path.read_text())]
    assert not found, f"Resolve these: {found}"


_QUAINT = re.compile(r"\b(?:wish|wishes|wished|anew|bury|told|tell|tells|hear|hears)\b", re.IGNORECASE)
_MAY_BE_QUAINT = re.compile(r"wish|anew|bury|told|tell|hear", re.IGNORECASE)


def words(source: Source) -> Iterator[tuple[int, str]]:
    """Names, comments and docstrings; texts and SQL may hold any word."""
    for node in source.nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id.replace("_", " ")
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg.replace("_", " ")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, re.sub(r"(?<=[a-z])(?=[A-Z])", " ", node.name).replace("_", " ")
    yield from source.comments()


def test_the_source_uses_plain_words() -> None:
    written = [source for source in EVERYTHING if source.package and _MAY_BE_QUAINT.search(source.text)]
    found = {
        f"{source}:{line} {word[0]}"
        for source in written
        for line, text in words(source)
        for word in _QUAINT.finditer(text)
    }
    assert not found, "\n".join([*sorted(found), "Write request, changes, again, say, report: the words others use."])
