"""The source as the rules of the house see it: files, functions, imports, statements of SQL."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src/sightline"
ROOMS = (
    "evaluation", "imports", "portal", "research", "documents", "ideas", "initiatives", "studies", "signals", "catalog",
    "workspaces", "intelligence", "sources", "web",
)  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef

_STATEMENT = re.compile(r"\s*\(?\s*(SELECT\s|INSERT INTO\s|UPDATE\s|DELETE FROM\s|MERGE INTO\s|WITH\s)")
_WRITE = re.compile(
    r"\b(?:INSERT INTO|DELETE FROM|MERGE INTO|(?<!DO )(?<!FOR )(?<!NO KEY )UPDATE)\s+(?:ONLY\s+)?([\w{}.]+)"
)


@dataclass(frozen=True)
class Source:
    """One Python file."""

    path: Path

    def __str__(self) -> str:
        return str(self.path.relative_to(ROOT))

    @cached_property
    def text(self) -> str:
        return self.path.read_text()

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree."""
        return tuple(ast.walk(self.tree))

    @property
    def package(self) -> str:
        """The folder or file below `sightline` that it belongs to; empty for tests."""
        return self.path.relative_to(SRC).parts[0].removesuffix(".py") if self.path.is_relative_to(SRC) else ""

    @property
    def module(self) -> str:
        return ".".join(self.path.relative_to(SRC.parent).with_suffix("").parts).removesuffix(".__init__")

    @property
    def is_routes(self) -> bool:
        return self.path.name.startswith("routes")

    def functions(self) -> Iterator[Function]:
        return (node for node in self.nodes if isinstance(node, FUNCTIONS))

    def comments(self) -> Iterator[tuple[int, str]]:
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        return ((token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT)

    def imports(self) -> set[str]:
        """Full names of all it imports, at the top and inside functions."""
        found = set()
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found |= {name.name for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        return found

    @cached_property
    def strings(self) -> tuple[tuple[int, str], ...]:
        """Every text of the code with its line, docstrings apart; what is filled in shows in braces."""
        return tuple(self._find_strings())

    def _find_strings(self) -> Iterator[tuple[int, str]]:
        inner = {id(part) for node in self.nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        inner |= {id(node.value) for node in self.nodes if isinstance(node, ast.Expr)}
        for node in self.nodes:
            if isinstance(node, ast.JoinedStr):
                yield node.lineno, "".join(map(_shown, node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
                yield node.lineno, node.value

    def statements(self) -> Iterator[tuple[int, str]]:
        """The texts that begin as a statement of SQL."""
        return ((line, text) for line, text in self.strings if _STATEMENT.match(text))

    def written_tables(self) -> Iterator[tuple[int, str]]:
        """The tables that its SQL writes, also in pieces of statements; a name that is filled in stays in braces."""
        return ((line, table) for line, text in self.strings for table in _WRITE.findall(text))


def _shown(part: ast.expr) -> str:
    if isinstance(part, ast.FormattedValue):
        return f"{{{ast.unparse(part.value)}}}"
    return str(part.value) if isinstance(part, ast.Constant) else ""


@cache
def sources(*folders: str) -> tuple[Source, ...]:
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return tuple(source_of(path) for path in sorted(paths) if "__pycache__" not in path.parts)


@cache
def source_of(path: Path) -> Source:
    """One for each file, which is read and parsed once."""
    return Source(path)


def rooms() -> tuple[Source, ...]:
    return tuple(source for source in sources("src/sightline") if source.package in ROOMS)
