"""Serving: starting, sharing, dying and ending."""

import asyncio
import os
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import asyncpg
import httpx2
import pytest

from tests.cli.command import is_alive, run, serving, status
from tests.cli.conftest import Site
from tests.platform.embedded_world import kill_postmaster, living
from tests.waiting import until_blocked, wait_until

pytestmark = pytest.mark.slow


def make_key(data: Path) -> str:
    words = ("init", "--slug", "acme", "--name", "Acme", "--owner", "ada@acme.test", "--json")
    key: str = run(*words, DATA_DIR=str(data)).json["key"]
    return key


def database_of(data: Path) -> str:
    return f"postgresql://sightline@/sightline?host={(data / 'postgres').resolve()}&port=5432"


def test_a_dead_process_is_started_again_and_nobody_is_refused(place: Path) -> None:
    data = place / "data"
    with serving(place / "log", "serve", "--workers", "2", "--data-dir", data) as server:
        address = server.wait_ready()
        key = make_key(data)
        before = server.children()
        assert len(before) == 2
        os.kill(before[0], signal.SIGKILL)
        assert [status(address, key) for _ in range(8)] == [200] * 8
        wait_until(lambda: len(set(server.children())) == 2 and before[0] not in server.children())
        assert "died (signal 9) and is started again" in server.said

        kill_postmaster(data)
        wait_until(lambda: "embedded database had died" in server.said)
        wait_until(lambda: status(address, key) == 200)

        assert server.stop() == 0
        assert not living(data)
        assert not any(is_alive(pid) for pid in server.children())


def test_no_module_of_the_current_folder_is_run(place: Path) -> None:
    folder = place / "folder"
    folder.mkdir()
    (folder / "yaml.py").write_text("raise SystemExit('a module of the folder')")
    with serving(place / "log", "serve", "--data-dir", place / "data", cwd=str(folder)) as server:
        server.wait_ready()
        assert "a module of the folder" not in server.said


def test_a_request_that_runs_is_answered_before_the_end(site: Site, place: Path) -> None:
    async def ask_while_it_ends() -> tuple[int, int]:
        blocker = await asyncpg.connect(database_of(site.data))
        with serving(place / "log", "serve", "--data-dir", site.data) as server, ThreadPoolExecutor() as others:
            address = server.wait_ready()
            await blocker.execute("BEGIN; LOCK TABLE plans IN ACCESS EXCLUSIVE MODE")
            asked = asyncio.wrap_future(others.submit(status, address, site.key))
            await until_blocked(blocker)
            ended = asyncio.wrap_future(others.submit(server.stop))
            await asyncio.sleep(0.7)
            assert not asked.done()
            assert not ended.done()
            await blocker.close()
            return await asked, await ended

    assert asyncio.run(ask_while_it_ends()) == (200, 0)


def test_asked_again_it_ends_without_waiting_for_requests(site: Site, place: Path) -> None:
    async def ask_while_it_is_hurried() -> int:
        blocker = await asyncpg.connect(database_of(site.data))
        with serving(place / "log", "serve", "--data-dir", site.data) as server, ThreadPoolExecutor() as others:
            address = server.wait_ready()
            await blocker.execute("BEGIN; LOCK TABLE plans IN ACCESS EXCLUSIVE MODE")
            asked = asyncio.wrap_future(others.submit(status, address, site.key))
            await until_blocked(blocker)
            while server.process.poll() is None:
                server.process.send_signal(signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    await asyncio.to_thread(server.process.wait, 0.2)
            with pytest.raises(httpx2.TransportError):
                await asked
            await blocker.close()
            return server.process.returncode

    assert asyncio.run(ask_while_it_is_hurried()) == 0


def test_two_servers_share_a_data_directory(site: Site, place: Path) -> None:
    with serving(place / "log", "serve", "--data-dir", site.data) as second:
        other = second.wait_ready()
        assert other != site.address
        key = site.make_key()
        assert [status(address, key["key"]) for address in (site.address, other)] == [200, 200]
        site.run("keys", "revoke", key["id"])
        wait_until(lambda: {status(address, key["key"]) for address in (site.address, other)} == {401}, seconds=1)
        assert second.stop(signal.SIGINT) == 0
    assert status(site.address, site.key) == 200


def test_api_processes_end_with_a_killed_parent(site: Site, place: Path) -> None:
    with serving(place / "log", "serve", "--data-dir", site.data) as server:
        server.wait_ready()
        children = server.children()
        assert children
        server.process.kill()
        server.process.wait()
        wait_until(lambda: not any(is_alive(pid) for pid in children))


def test_a_busy_port_is_refused_in_one_line(site: Site) -> None:
    port = site.address.rpartition(":")[2]
    assert f"Port {port} of 127.0.0.1 is in use" in site.run("serve", PORT=port).refusal


def test_an_address_of_another_machine_is_refused_in_one_line(site: Site) -> None:
    assert "192.0.2.1" in site.run("serve", HOST="192.0.2.1").refusal


def test_an_api_process_is_small(site: Site, place: Path) -> None:
    with serving(place / "log", "serve", "--data-dir", site.data) as server:
        server.wait_ready()
        [child] = server.children()
        status_lines = Path(f"/proc/{child}/status").read_text().splitlines()
        kilobytes = next(int(line.split()[1]) for line in status_lines if line.startswith("VmRSS"))
    assert kilobytes < 150_000


def test_no_key_is_refused_by_a_served_api(site: Site) -> None:
    answer = httpx2.get(f"{site.address}/api/external/v1/auth/context", verify=False)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_stopping_before_it_serves_leaves_nothing_running(place: Path) -> None:
    with serving(place / "log", "serve", "--data-dir", place / "data") as server:
        wait_until(lambda: (place / "data/postgres.turn").exists())
        assert server.stop() == 0
    assert not living(place / "data")


def test_a_free_port_is_chosen_for_all_processes(site: Site, place: Path) -> None:
    with serving(place / "log", "serve", "--workers", "2", "--data-dir", site.data) as server:
        port = int(server.wait_ready().rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            pass
