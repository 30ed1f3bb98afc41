"""Writers of every kind, each with dice of its own: the API, files, imports, the portal, and programs beside."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg
import httpx2
import jwt

from tests.cli.command import run
from tests.portal.product import LOGIN, LOGOUT, Browser, claims
from tests.waiting import linger

Json = dict[str, Any]

OWNER = {"key": "ada", "email": "ada@acme.test", "name": "Ada", "role": "owner"}
CORE = {"key": "core", "name": "Core"}
WORKSPACE = {"slug": "acme", "name": "Acme"}
LARGE = "Exports of large tables are slow. " * 2_000  # 68 KB: sixteen are more than a page of 1 MiB
KEYS = 24  # of the records of each list of a file
LATE = """
UPDATE {table} SET {field} = $1, updated_at = $2, version = version + 1
 WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM {table} WHERE updated_at < $2
                               ORDER BY random() LIMIT 3 FOR UPDATE SKIP LOCKED)
RETURNING id"""
NAMES = {"ideas": "name", "initiatives": "name", "signals": "name", "insights": "title", "accounts": "name"}

# What the file and the imports write of a record.
LISTS: dict[str, Callable[[Random], Json]] = {
    "accounts": lambda dice: {"name": words(dice), "domain": f"{dice.randrange(10**9)}.test"},
    "opportunities": lambda dice: {"name": words(dice), "description": words(dice)},
    "insights": lambda dice: {"title": words(dice), "category": "problem", "description": LARGE + words(dice)},
    "initiatives": lambda dice: {"name": words(dice), "teams": ["core"]},
    "ideas": lambda dice: {"name": words(dice), "description": words(dice)},
    "signals": lambda dice: {"name": words(dice), "rawData": {"text": words(dice)}},
    "feedback": lambda dice: {
        "study": "study0",
        "rating": dice.randrange(11),
        "metric": "value",
        "subject": {"type": "study", "id": "study0"},
        "submittedAt": f"2026-0{1 + dice.randrange(9)}-01",
        "comment": words(dice),
    },
}
IMPORTED = ("accounts", "insights", "feedback", "ideas", "signals")


def words(dice: Random) -> str:
    return f"Words {dice.randrange(10**12)}"


@dataclass
class Place:
    """A server's folder and address, and what its clients know."""

    folder: Path
    key: str
    secret: str
    address: str = ""
    dice: Random = field(default_factory=lambda: Random(7))
    done: asyncio.Event = field(default_factory=asyncio.Event)  # for the writers
    closed: asyncio.Event = field(default_factory=asyncio.Event)  # for the followers
    written: dict[str, int] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def apply(self, **lists: Any) -> bool:
        """A workspace file with these lists, which changes only what differs. False where the database is down."""
        file = self.folder / f"file-{self.dice.randrange(10**9)}.json"
        file.write_text(json.dumps({"workspace": WORKSPACE, "members": [OWNER], **lists}))
        return run("workspace", "apply", file, DATA_DIR=str(self.data)).code == 0

    def client(self) -> httpx2.AsyncClient:
        headers = {"Authorization": f"Bearer {self.key}"}
        return httpx2.AsyncClient(base_url=f"{self.address}/api/external/v1", headers=headers, timeout=20, verify=False)


def furnish(folder: Path) -> Place:
    """A workspace with a portal, before anything serves."""
    place = Place(folder, key="", secret="")
    assert place.apply(studies=[{"key": "study0", "name": "Interviews"}], teams=[CORE])
    data, named = str(place.data), ("--workspace", "acme", "--json")
    words = ("--name", "w", "--scopes", "all", "--member", OWNER["email"])
    place.key = run("keys", "create", *named, *words, DATA_DIR=data).json["key"]
    addresses = ("--remote-login-url", LOGIN, "--remote-logout-url", LOGOUT)
    place.secret = run("portal", "configure", *named, *addresses, DATA_DIR=data).json["secret"]
    return place


async def write_by_api(place: Place, dice: Random) -> None:
    """One request after the other: creates, changes, moves, merges and deletes."""
    async with place.client() as client:
        while not place.done.is_set():
            method, path, body = await _request(client, dice)
            answer = await client.request(method, path, json=body)
            assert answer.status_code < 500 or answer.status_code == 503, answer.text
            if answer.status_code < 400:
                name = f"{method} {path.split('/')[1]}"
                place.written[name] = place.written.get(name, 0) + 1


async def _request(client: httpx2.AsyncClient, dice: Random) -> tuple[str, str, Json | None]:
    name = dice.choice(["ideas", "ideas", "signals", "signals", "insights", "initiatives"])
    page = await client.get(f"/{name}", params={"limit": 30})
    if page.status_code != 200:
        return "GET", f"/{name}", None
    known = [one["id"] for one in page.json()]
    if name in ("ideas", "signals") and (len(known) < 10 or dice.random() < 0.3):
        field = "description" if name == "ideas" else "text"
        return "POST", f"/{name}", {field: f"It is too slow. {words(dice)}"}
    if name == "initiatives" and len(known) < 10:
        teams = (await client.get("/teams")).json()
        return "POST", "/initiatives", {"name": words(dice), "teamIds": [teams[0]["id"]], "clientRequestId": uuid(dice)}
    if not known:
        return "GET", f"/{name}", None
    path, text = f"/{name}/{dice.choice(known)}", words(dice)
    ways: dict[str, list[tuple[str, str, Json | None]]] = {
        "ideas": [
            ("PATCH", path, {"name": text}),
            ("PATCH", path, {"description": text}),
            ("PATCH", f"{path}/status", {"status": dice.choice(["New", "Under review", "Approved"])}),
            ("POST", f"{path}/comments", {"body": text}),
            ("DELETE", path, None),
        ],
        "signals": [
            ("PATCH", path, {"name": text}),
            ("POST", f"{path}/process", None),
            ("DELETE", path, None),
        ],
        "insights": [
            ("PATCH", path, {"title": text}),
            ("PATCH", path, {"description": LARGE + text}),
            ("PATCH", path, {"reviewState": "accepted"}),
            ("PATCH", path, {"mergedIntoId": dice.choice(known)}),
            ("DELETE", path, None),
        ],
        "initiatives": [("PATCH", path, {"name": text, "priority": "HIGH"})],
    }
    return dice.choice(ways[name])


def uuid(dice: Random) -> str:
    digits = f"{dice.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"


async def write_by_file(place: Place, dice: Random) -> None:
    """Some records of some lists; of some lists the others are removed."""
    while not place.done.is_set():
        names = dice.sample(sorted(LISTS), 3)
        lists: Json = {name: records(name, dice, dice.randrange(1, KEYS)) for name in names}
        if dice.random() < 0.5:
            lists["prune"] = names[:1]
        if await asyncio.to_thread(place.apply, **lists):
            place.written["apply"] = place.written.get("apply", 0) + 1


async def write_named(place: Place, dice: Random) -> None:
    """Records that others name, renamed; then all of a kind removed, and half the time there again under their ids."""
    while not place.done.is_set():
        named, name = named_records(dice), dice.choice(["accounts", "initiatives", "products", "teams"])
        steps: list[Json] = [
            {**named, **naming_records(dice)},
            {name: [CORE] if name == "teams" else [], "prune": [name]},
            {name: named[name]},
        ]
        for step in steps if dice.random() < 0.5 else steps[:2]:
            if await asyncio.to_thread(place.apply, **step):
                place.written["named"] = place.written.get("named", 0) + 1


def named_records(dice: Random) -> Json:
    guests = {"key": "guests", "name": words(dice)}
    features = [{"key": "csv", "name": "Export tables as CSV"}, {"key": f"f{dice.randrange(3)}", "name": words(dice)}]
    initiative = {
        "key": "named",
        "id": uuid(Random("i")),
        "name": "Named",
        "teams": ["core", "guests"],
        "product": "named",
    }
    return {
        "accounts": [{"key": "named", "id": uuid(Random("a")), "name": "Named", "externalId": words(dice)}],
        "products": [{"key": "named", "id": uuid(Random("p")), "name": "Named", "features": features}],
        "teams": [{**CORE, "name": words(dice)}, guests],
        "initiatives": [initiative],
    }


def naming_records(dice: Random) -> Json:
    accounts, key = {"accounts": ["named"]}, f"naming{dice.randrange(5)}"
    of_product = {"product": "named", "features": ["csv"], "initiative": "named"}
    signal = LISTS["signals"](dice) | accounts | {"account": "named"}
    return {
        "signals": [{"key": key, **signal}],
        "insights": [{"key": key, "title": words(dice), "category": "problem", "signals": [key], **accounts}],
        "ideas": [{"key": key, **LISTS["ideas"](dice), "insights": [key], **of_product, **accounts}],
        "feedback": [{"key": key, **LISTS["feedback"](dice), "account": "named"}],
    }


async def write_by_import(place: Place, dice: Random) -> None:
    while not place.done.is_set():
        kind = dice.choice(IMPORTED)
        lines = place.folder / f"{kind}-{dice.randrange(10**9)}.jsonl"
        lines.write_text("".join(json.dumps(record) + "\n" for record in records(kind, dice, KEYS)))
        done = await asyncio.to_thread(run, "import", kind, lines, "--workspace", "acme", DATA_DIR=str(place.data))
        if done.code == 0:
            place.written["import"] = place.written.get("import", 0) + 1


def write_everything(place: Place, count: int = KEYS) -> None:
    """So many records of each list of a file."""
    lists: Json = {name: records(name, place.dice, count) for name in LISTS}
    assert place.apply(**lists)


def records(name: str, dice: Random, count: int) -> list[Json]:
    keys = dice.sample(range(KEYS), count)
    return [{"key": f"k{n}", **LISTS[name](dice)} for n in keys]


async def write_by_portal(place: Place, dice: Random) -> None:
    """A customer who requests ideas and votes for them."""
    async with Browser(place.address, "/portal/acme") as browser:
        token = jwt.encode(claims(email=f"bo@{dice.randrange(10**6)}.test"), place.secret, algorithm="HS256")
        page = await browser.get("/")
        if page.status_code != 302:
            raise ConnectionError(page.text)  # the database is away
        state = parse_qs(urlsplit(page.headers["location"]).query)["state"][0]
        await browser.call_back(token, state)
        while browser.is_signed_in and not place.done.is_set():
            form = {"title": words(dice), "text": words(dice), "confirmed": "1"}
            sent = await browser.post("/request", form)
            if sent.status_code == 303:
                idea = sent.headers["location"].partition("?")[0].rpartition("/")[2]
                await browser.post(f"/ideas/{idea}/vote", {"vote": "1"})
                place.written["portal"] = place.written.get("portal", 0) + 1
            await asyncio.sleep(0.1)


async def write_slowly(place: Place, dice: Random) -> None:
    while not place.done.is_set():
        await write_late(place, dice, lambda: linger(dice, 0.2))
        place.written["slow"] = place.written.get("slow", 0) + 1


async def write_late(place: Place, dice: Random, meanwhile: Callable[[], Awaitable[None]]) -> int:
    """As a slow program of ours, whose transaction has its time from its start and writes at its end.

    Changes a few records of each list that nobody has changed meanwhile; returns how many.
    """
    url = f"postgresql://sightline@/sightline?host={(place.data / 'postgres').resolve()}&port=5432"
    connection = await asyncpg.connect(url, server_settings={"application_name": "sightline"})
    changed = 0
    try:
        async with connection.transaction():
            now = datetime.now(UTC)
            now = now.replace(microsecond=now.microsecond // 1000 * 1000)
            await meanwhile()
            for table, name in NAMES.items():
                late = LATE.format(table=table, field=name)
                changed += len(await connection.fetch(late, words(dice), now))
    finally:
        with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            await connection.close(timeout=2)
    return changed


AWAY = (
    httpx2.TransportError,
    OSError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the connection was lost in the middle of an answer
)


async def until_done(write: Callable[[Place, Random], Awaitable[None]], place: Place, dice: Random) -> None:
    """Starts again whenever the server or its database went away."""
    while not place.done.is_set():
        try:
            await write(place, dice)
        except AWAY:
            await asyncio.sleep(0.1)


WRITERS = [
    *(write_by_api, write_by_api, write_by_api),
    *(write_by_file, write_named, write_by_import, write_by_portal, write_slowly),
]
