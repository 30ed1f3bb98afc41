"""What a request costs against how much there is, drawn by matplotlib; the benchmark itself does without."""

from collections.abc import Sequence
from typing import Any

COLORS = 10  # after these matplotlib begins again


def draw(rows: Sequence[dict[str, Any]], file: str) -> None:
    """A line for each operation: milliseconds of one request (median), by the number of ideas. Raises ImportError."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6), layout="constrained")
    axes = figure.add_subplot(
        title="Median time of a request, 32 connections",
        xlabel="ideas in the workspace",
        ylabel="milliseconds",
        xscale="log",
        yscale="log",
    )
    chosen = [row for row in rows if row["connections"] == 32 and row["p50Ms"] is not None]
    for place, name in enumerate(dict.fromkeys(row["name"] for row in chosen)):
        points = sorted((row["size"], row["p50Ms"]) for row in chosen if row["name"] == name)
        style = ("-", "--", ":")[place // COLORS % 3]
        axes.plot(*zip(*points, strict=True), linestyle=style, marker="o", label=name)
    axes.grid(visible=True, color="#ddd")
    figure.legend(loc="outside right upper", handlelength=4)
    figure.savefig(file)
