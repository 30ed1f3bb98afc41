"""Clients in two languages, generated from the OpenAPI document, checked strictly and used against a server."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from sightline.app import openapi_document
from tests.generated.made import Made

pytestmark = pytest.mark.clients

USES = Path(__file__).with_name("clients")
CACHE = Path(__file__).parents[2] / ".cache" / "npm-clients"
PACKAGES = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@types/node@20.19.25")
UNREACHABLE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "E403", "E503")
OPTIONS = [
    *("--strict", "--noUncheckedIndexedAccess", "--skipLibCheck", "false", "--target", "es2022"),
    *("--module", "nodenext", "--types", "node", "--outDir", "."),
]


async def run(folder: Path, *words: str, **environment: str) -> tuple[int, str]:
    """Runs a command for three minutes at most; its exit code and all that it printed."""
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        printed, _ = await asyncio.wait_for(process.communicate(), 180)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return process.returncode or 0, printed.decode(errors="replace")


async def succeed(folder: Path, *words: str, **environment: str) -> None:
    code, printed = await run(folder, *words, **environment)
    assert code == 0, f"{' '.join(words)}\n{printed}"


async def with_npm_packages() -> Path:
    """The folder of the packages; skips where they cannot be had."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node or npm missing: NO client in TypeScript was generated (apt-get install nodejs npm)")
    folder = CACHE
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
    quietly = ("--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1")
    try:
        code, printed = await run(folder, "npm", "install", *quietly, *PACKAGES)
    except TimeoutError:
        code, printed = 1, "ETIMEDOUT"
    if code and any(name in printed for name in UNREACHABLE):
        pytest.skip(f"the npm registry cannot be reached: NO client in TypeScript was generated ({printed[-200:]})")
    assert code == 0, printed
    return folder


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_text(openapi_document())
    return path


async def test_a_client_in_typescript(made: Made, document: Path) -> None:
    packages = await with_npm_packages()
    folder = document.parent
    (folder / "node_modules").symlink_to(packages / "node_modules")
    shutil.copy(packages / "package.json", folder)
    shutil.copy(USES / "use_typescript.ts", folder)
    programs = packages / "node_modules" / ".bin"
    await succeed(folder, str(programs / "openapi-typescript"), document.name, "-o", "schema.ts")
    await succeed(folder, str(programs / "tsc"), *OPTIONS, "use_typescript.ts", "schema.ts")
    await succeed(folder, "node", "use_typescript.js", ADDRESS=made.world.address, KEY=await made.world.key("all"))


async def test_a_client_in_python(made: Made, python_client: Path) -> None:
    shutil.copy(USES / "use_python.py", python_client)
    checked = ("--strict", "--follow-imports=silent", "--cache-dir", ".mypy_cache", "--config-file", "")
    await succeed(python_client, sys.executable, "-m", "mypy", *checked, "use_python.py")
    key = await made.world.key("all")
    await succeed(python_client, sys.executable, "use_python.py", ADDRESS=made.world.address, KEY=key)
