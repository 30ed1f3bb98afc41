"""The report for people."""

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

COLUMNS = ("operation", "ideas", "clients", "ours/s", "p50 ms", "p99 ms", "limit/s", "ratio", "rounds", "cpu", "aims")
NARROWEST = 110


def show(report: dict[str, Any], console: Console) -> None:
    """The rows with their ratios, and what was to be reached; the aims judge nothing."""
    console.width = max(console.width, NARROWEST)
    machine = report["machine"]
    sizes = dict.fromkeys(f"{row['size']:,}" for row in report["rows"])
    title = f"{machine['processor']}, {machine['cores']} cores, {' and '.join(sizes)} ideas"
    table = Table(title=title, caption=_caption(report), box=box.SIMPLE, padding=(0, 0))
    for name in COLUMNS:
        table.add_column(name, justify="left" if name == "operation" else "right", no_wrap=True)
    for row in report["rows"]:
        table.add_row(*_cells(row), *_compared(row, report["aims"]))
    console.print(table)


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        row["name"],
        f"{row['size']:,}",
        str(row["connections"]),
        f"{row['requestsPerSecond']:,.0f}",
        f"{row['p50Ms']:.2f}",
        f"{row['p99Ms']:.2f}",
    ]


def _compared(row: dict[str, Any], aims: dict[str, dict[str, float]]) -> list[str]:
    """Beside the limit, where there is one."""
    if row["ratio"] is None:
        return []
    (low, high), aim = row["ratioRange"], aims[row["name"]]
    return [
        f"{row['limitPerSecond']:,.0f}",
        f"[bold]{row['ratio']:.2f}[/bold]",
        f"{low:.2f}-{high:.2f}",
        f"{row['cpuMicroseconds']['ratio']:.2f}" if row["cpuMicroseconds"] else "",
        f"{aim['first']:.2f}, {aim['then']:.2f}",
    ]


def _caption(report: dict[str, Any]) -> str:
    said = [
        "limit: the time of a constant answer plus the time of the same statements on bare asyncpg, same run. "
        "ratio: limit time over ours; rounds: lowest and highest; cpu: the same of processor time."
    ]
    if any(row["ratio"] is None for row in report["rows"]):
        said.append(
            "regenerate_document: asked for all at once; from a request until its document is written, with the second "
            "in which further edits may follow."
        )
    if client := report["client"]:
        said.append(
            f"client: {client['requestsPerSecond']:,.0f}/s against a trivial server, {client['headroom']:.1f} times "
            f"the fastest server here, {client['headroomOverOurs']:.1f} times ours."
        )
    return "\n".join(said)
