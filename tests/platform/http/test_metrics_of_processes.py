"""`/metrics` with several API processes. Operating: `serve --workers`."""

import os
import subprocess
import sys
from pathlib import Path

COUNT = """
import os, sys
from prometheus_client import Counter
from sightline.platform.http import metrics
Counter("counted", "Counted.").inc(3)
metrics._STATES["idle"].set(5)
if sys.argv[1] == "print":
    print(metrics._collect().decode())
else:
    os._exit(9)
"""


def run(folder: Path, what: str) -> str:
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", COUNT, what], env=environment, stdout=subprocess.PIPE, check=False)
    return done.stdout.decode()


def test_counts_of_the_dead_stay_and_their_connections_do_not(tmp_path: Path) -> None:
    run(tmp_path, "die")
    printed = run(tmp_path, "print").splitlines()
    assert "counted_total 6.0" in printed
    assert 'sightline_db_pool_connections{state="idle"} 5.0' in printed
    assert len([*tmp_path.glob("gauge_live*.db")]) == 1
