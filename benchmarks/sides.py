"""The two sides of a comparison: a commit's sources and environment, its server, and its database with the data."""

import asyncio
import io
import json
import subprocess
import sys
import tarfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from re import search
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import asyncpg
import httpx2
import jwt

from benchmarks.portal import PORTAL
from benchmarks.rounds import BenchFailed
from benchmarks.servers import ROOT, Code, Server, running
from benchmarks.workspace import SLUG
from benchmarks.world import World
from sightline.platform.db.embedded.server import DATABASE, OWNER

LOCK = "requirements/runtime.lock"
ENVIRONMENTS = ROOT / ".cache" / "bench"
SETTINGS = {"SIGHTLINE_RATE_LIMIT": "0", "SIGHTLINE_PORTAL_LIMIT": "0"}


@dataclass(frozen=True, slots=True)
class Side:
    """A running commit. `world` has its key and its session of the portal."""

    server: Server
    database: Server
    world: World


def find_commit(ref: str) -> str:
    """Returns the full name of a commit. Raises BenchFailed if there is none."""
    return _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").decode().strip()


def check_out(commit: str, folder: Path) -> Code:
    """Writes a commit's sources to the folder. Its environment is ours if its lock is, else one that is kept in .cache.

    Raises BenchFailed if that cannot be installed.
    """
    with tarfile.open(fileobj=io.BytesIO(_git("archive", commit, "src", LOCK))) as archive:
        archive.extractall(folder, filter="data")
    lock = folder / LOCK
    is_ours = lock.read_bytes() == (ROOT / LOCK).read_bytes()
    return Code(folder / "src", sys.executable if is_ours else _environment(lock))


def _git(*words: str) -> bytes:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)  # noqa: S603, S607 - fixed words
    if done.returncode:
        raise BenchFailed(f"git {' '.join(words)} failed. {done.stderr.decode().strip()}")
    return done.stdout


def _environment(lock: Path) -> str:
    """The Python of an environment with what the lock names."""
    folder = ENVIRONMENTS / sha256(lock.read_bytes() + sys.version.encode()).hexdigest()[:16]
    installed = folder / ".installed"
    if not installed.exists():
        install = ("-m", "pip", "--python", str(folder), "install", "-qq", "--disable-pip-version-check", "--no-deps")
        _run(sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder))
        _run(sys.executable, *install, "--require-hashes", "-r", str(lock))
        installed.touch()
    return str(folder / "bin" / "python")


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
    if done.returncode:
        raise BenchFailed(f"The environment of the commit cannot be installed. {done.stderr.strip()[-500:]}")


@asynccontextmanager
async def open_side(code: Code, folder: Path, world: World, file: Path) -> AsyncIterator[Side]:
    """Serves the workspace file, which the commit loads itself, from an embedded database in the folder."""
    folder.mkdir()  # noqa: ASYNC240 - nothing else runs yet
    settings = SETTINGS | {"SIGHTLINE_DATA_DIR": str(folder / "data")}
    serve = ("sightline", "serve", "--no-worker", "--port", "0")
    async with running(folder, settings, *serve, until="Sightline serves on", code=code) as server:
        command = _Command(code, folder, settings)
        await command("workspace", "apply", str(file))
        whose = (f"--workspace={SLUG}", f"--member={world.owner}")
        world = copy(world)
        world.key = (await command("keys", "create", *whose, "--name=bench", "--scopes=all"))["key"]
        await _sign_in(command, server, world)
        cluster = folder / "data" / "postgres"
        await _settle(cluster)
        postmaster = Server(int((cluster / "postmaster.pid").read_text().splitlines()[0]), 0)
        yield Side(server, postmaster, world)


@dataclass(frozen=True, slots=True)
class _Command:
    """Runs `sightline WORDS --json`; returns what it prints. Raises BenchFailed when it fails."""

    code: Code
    folder: Path
    settings: dict[str, str]

    async def __call__(self, *words: str) -> dict[str, Any]:
        process = await asyncio.create_subprocess_exec(
            *(self.code.python, "-m", "sightline", *words, "--json"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self.folder,
            env=self.code.environment(self.settings),
        )
        try:
            printed, said = await process.communicate()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
        if process.returncode:
            raise BenchFailed(f"{self.code.source}: `sightline {words[0]} {words[1]}` failed. {said.decode().strip()}")
        return cast(dict[str, Any], json.loads(printed))


async def _settle(cluster: Path) -> None:
    """So that no autovacuum has to, while it is measured."""
    connection = await asyncpg.connect(host=str(cluster), user=OWNER, database=DATABASE)
    try:
        await connection.execute("VACUUM ANALYZE")
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()


async def _sign_in(command: _Command, server: Server, world: World) -> None:
    """Signs a visitor in to the portal, as a product does; leaves it where the commit has no such portal."""
    urls = ("--remote-login-url=https://product.test/enter", "--remote-logout-url=https://product.test/left")
    try:
        portal = await command("portal", "configure", f"--workspace={SLUG}", *urls)
    except BenchFailed:
        return
    now = int(time.time())
    claims = {"iat": now, "exp": now + 300, "jti": uuid4().hex, "email": "visitor@bench.test"}
    token = jwt.encode(claims | {"first_name": "Vera", "last_name": "Visitor"}, portal["secret"], algorithm="HS256")
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{server.port}") as browser:
        sent = await browser.get(f"{PORTAL}/")
        asked = parse_qs(urlsplit(sent.headers["location"]).query)
        query = {"jwt": token, "state": asked["state"][0], "return_to": "/"}
        await browser.get(urlsplit(portal["callbackUrl"]).path, params=query)
        page = await browser.get(f"{PORTAL}/")
        world.cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    if found := search(r'name="csrf" value="([^"]+)"', page.text):
        world.form_token = found[1]
