"""The machine that was measured on."""

import os
import platform
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    """Processor, memory, system and versions; None for what the system does not tell."""
    return {
        "processor": _after_colon(Path("/proc/cpuinfo"), "model name") or platform.processor() or None,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memoryMegabytes": _megabytes(Path("/proc/meminfo"), "MemTotal"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 2),
    }


def resident_megabytes(pid: int) -> int | None:
    return _megabytes(Path(f"/proc/{pid}/status"), "VmRSS")


def _megabytes(file: Path, name: str) -> int | None:
    found = _after_colon(file, name)
    return int(found.split()[0]) // 1024 if found else None


def _after_colon(file: Path, name: str) -> str | None:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), None)
