"""The report for people."""

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

COLUMNS = ("operation", "ideas", "clients", "ours/s", "p50 ms", "p99 ms", "limit/s", "ratio", "rounds", "cpu", "aims")
NARROWEST = 110
LIMIT = (
    "limit: the time of a constant answer plus the time of the same statements on asyncpg alone, same run. "
    "ratio: limit time over ours; rounds: lowest and highest; cpu: the same of processor time.\n"
    "regenerate_document: requested all at once; from a request until its document is written, with the second in "
    "which further edits may follow.\n"
    "research_sections: pages of sections whose hosts answer after 0.3 s; its limit is that waiting alone. "
    "research_pages: pages that one worker fetches and reads."
)

COMPARED = {"requests/s": "requestsPerSecond", "API us": "apiMicroseconds", "PostgreSQL us": "databaseMicroseconds"}
COMPARISON = (
    "us: microseconds of processor that a request takes of the processes of the API, and of PostgreSQL.\n"
    "ratio: this over the other commit, the median of pairs of rounds, and the quartiles."
)


def show(report: dict[str, Any], console: Console) -> None:
    """The rows with their ratios, and the ratios to reach; nothing is judged by them."""
    console.width = max(console.width, NARROWEST)
    machine = report["machine"]
    title = f"{machine['processor']}, {machine['cores']} cores"
    table = Table(title=title, caption=_caption(report), box=box.SIMPLE, padding=(0, 0))
    for name in COLUMNS:
        table.add_column(name, justify="left" if name == "operation" else "right", no_wrap=True)
    for row in report["rows"]:
        table.add_row(*_cells(row), *_compare(row, report["aims"].get(row["name"])))
    console.print(table)


def _cells(row: dict[str, Any]) -> list[str]:
    named = [row["name"], f"{row['size']:,}", str(row["connections"])]
    if row["requestsPerSecond"] is None:
        return named
    return [*named, f"{row['requestsPerSecond']:,.0f}", f"{row['p50Ms']:.2f}", f"{row['p99Ms']:.2f}"]


def _compare(row: dict[str, Any], aims: dict[str, float] | None) -> list[str]:
    """Beside the limit, where there is one."""
    if row["ratio"] is None:
        return []
    (low, high), cpu = row["ratioRange"], row["cpuMicroseconds"]
    return [
        f"{row['limitPerSecond']:,.0f}",
        f"[bold]{row['ratio']:.2f}[/bold]",
        f"{low:.2f}-{high:.2f}",
        f"{cpu['ratio']:.2f}" if cpu else "",
        f"{aims['first']:.2f}, {aims['then']:.2f}" if aims else "",
    ]


def _caption(report: dict[str, Any]) -> str:
    waits = report["besideFaultyBodies"]
    lines = [
        LIMIT,
        f"Beside {waits['faultyBodies']} faulty bodies of 1 MiB a small request took {waits['p50Ms']:.1f} ms, "
        f"{waits['longestMs']:.1f} ms at most. The client is {report['client']['name']}.",
    ]
    return "\n".join(lines)


def show_comparison(report: dict[str, Any], console: Console) -> None:
    """The rows with both commits' figures and their ratios."""
    console.width = max(console.width, NARROWEST)
    title = f"this against {report['against']['ref']} ({report['against']['commit'][:7]})"
    table = Table(title=title, caption=COMPARISON, box=box.SIMPLE, padding=(0, 0))
    for name in ("operation", *(cell for unit in COMPARED for cell in (unit, "ratio", ""))):
        table.add_column(name, justify="left" if name == "operation" else "right", no_wrap=True)
    for row in report["rows"]:
        table.add_row(row["name"], *(cell for figure in COMPARED.values() for cell in _compared(row, figure)))
    console.print(table)
    for row in report["rows"]:
        if "missing" in row:
            console.print(f"{row['name']}: {row['missing']}")


def _compared(row: dict[str, Any], figure: str) -> tuple[str, ...]:
    if "missing" in row:
        return ("", "-", "")
    low, high = row["quartiles"][figure]
    both = f"{row['ref'][figure]:,.0f} > {row['this'][figure]:,.0f}"
    return both, f"[bold]{row['ratio'][figure]:.2f}[/bold]", f"{low:.2f}-{high:.2f}"
