"""The background worker: beside a server, alone, dying and ending."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import Serving, is_alive, run, serving
from tests.cli.conftest import Site
from tests.waiting import wait_until

READY = "Sightline's worker takes jobs."


def wait_working(worker: Serving) -> int:
    wait_until(lambda: READY in worker.said or worker.process.poll() is not None)
    assert READY in worker.said, worker.said
    [pid] = worker.workers()
    return pid


@pytest.mark.slow
def test_a_killed_worker_is_started_again_and_ends_with_the_server(site: Site, place: Path) -> None:
    with serving(place / "log", "serve", "--data-dir", site.data) as server:
        server.wait_ready()
        [first] = server.workers()
        requests_first = os.getpriority(os.PRIO_PROCESS, server.process.pid)
        wait_until(lambda: os.getpriority(os.PRIO_PROCESS, first) > requests_first)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: "The worker died (signal 9) and is started again." in server.said)
        wait_until(lambda: server.workers() not in ([], [first]))
        [second] = server.workers()
        assert server.stop() == 0
        assert not is_alive(second)


def test_a_server_can_do_without(site: Site, place: Path) -> None:
    with serving(place / "log", "serve", "--no-worker", "--data-dir", site.data) as server:
        server.wait_ready()
        assert (len(server.children()), server.workers()) == (1, [])


@pytest.mark.slow
def test_a_worker_alone_is_started_again_and_ends_on_request(site: Site, place: Path) -> None:
    with serving(place / "log", "worker", "--concurrency", "2", "--data-dir", site.data) as worker:
        first = wait_working(worker)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: worker.workers() not in ([], [first]))
        began = time.monotonic()
        assert worker.stop() == 0
        assert time.monotonic() - began < 20


@pytest.mark.slow
def test_a_worker_ends_with_its_parent(site: Site, place: Path) -> None:
    with serving(place / "log", "worker", "--data-dir", site.data) as worker:
        pid = wait_working(worker)
        worker.process.kill()
        worker.process.wait()
        wait_until(lambda: not is_alive(pid))


def test_a_worker_without_a_database_is_refused_in_one_line() -> None:
    refused = run("worker", DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    assert "cannot be reached" in refused.refusal


def test_an_api_process_loads_nothing_of_the_worker() -> None:
    look = "import sys, sightline.app, sightline.serving.api_process; print('sightline.worker' in sys.modules)"
    seen = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert seen.stdout == "False\n"


def test_jobs_are_listed_retried_and_stopped(site: Site) -> None:
    wait_until(lambda: site.run("jobs", "list", "--json").json == [])  # those of earlier tests end
    assert site.run("jobs", "list", "--state", "failed", "--workspace", "acme").out.startswith("ID")
    assert (
        site.run("jobs", "retry", "123456").refusal == "sightline: There is no job 123456: it is done or never existed."
    )
    assert "no job 123456" in site.run("jobs", "stop", "123456").refusal
    assert site.run("jobs", "list", "--state", "lost").code == 2
