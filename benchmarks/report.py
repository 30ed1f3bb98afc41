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
    waits, client = report["besideFaultyBodies"], report["client"]
    lines = [
        LIMIT,
        f"Beside {waits['faultyBodies']} faulty bodies of 1 MiB a small request took {waits['p50Ms']:.1f} ms, "
        f"{waits['longestMs']:.1f} ms at most.",
    ]
    if "headroom" in client:
        lines += [
            f"client: {client['name']}, {client['requestsPerSecond']:,.0f}/s for a second of processor, "
            f"{client['headroom']:.1f} times the fastest server here, {client['headroomOverOurs']:.1f} times ours."
        ]
    return "\n".join(lines)
