"""`/metrics` with several API processes. Operating: `serve --workers`."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.platform.refused import Refused
from sightline.serving.supervisor import Child

COUNT = """
from prometheus_client import Counter
from sightline.platform.http import metrics
Counter("counted", "Counted.").inc(3)
metrics._CONNECTIONS.labels("idle").set(5)
"""
PRINT = "print(metrics._collect().decode())"


@pytest.mark.slow
def test_counts_of_the_dead_stay_and_their_connections_do_not(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(COUNT)
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    with pytest.raises(Refused, match="ended while it started"):
        asyncio.run(Child("API process", "counting", environment).supervise())
    words = [sys.executable, "-c", COUNT + PRINT]
    printed = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "counted_total 6.0" in printed
    assert 'sightline_db_pool_connections{state="idle"} 5.0' in printed
    assert len([*tmp_path.glob("gauge_live*.db")]) == 1
