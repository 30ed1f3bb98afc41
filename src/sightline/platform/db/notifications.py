"""Whether notifications of the database arrive: revoked keys, changed roles and new jobs are announced by NOTIFY.

They do not arrive behind a pooler in transaction mode, which gives each transaction some session of the database:
there `SIGHTLINE_LISTEN_URL` names the database's own address.
"""

import asyncio
from secrets import token_hex

from sightline.platform.db.listening import connected
from sightline.platform.db.pool import Connection

ANSWER_SECONDS = 10
ARRIVAL_SECONDS = 5
SESSION = "SELECT pg_backend_pid()"


async def find_fault(url: str, listen_url: str | None) -> str | None:
    """Why notifications do not arrive, in one line that names the setting to change; None when they do.

    `listen_url` is the database's own address where `url` is a pooler's. Raises what asyncpg raises when the database
    cannot be reached or refuses a statement.
    """
    if await _is_transaction_pooler(listen_url or url):
        needed = "" if listen_url else "SIGHTLINE_LISTEN_URL is needed: "
        named = "SIGHTLINE_LISTEN_URL" if listen_url else "SIGHTLINE_DATABASE_URL"
        return f"{needed}{named} is the address of a pooler in transaction mode. Give the database's own address."
    if listen_url is None or await _arrives(url, listen_url):
        return None
    return (
        f"A NOTIFY sent to SIGHTLINE_DATABASE_URL did not arrive within {ARRIVAL_SECONDS} s: "
        "give the same database's own address in SIGHTLINE_LISTEN_URL."
    )


async def _is_transaction_pooler(url: str) -> bool:
    """Whether two connections share a session, or one connection changes its session."""
    async with connected(url, ANSWER_SECONDS) as one, connected(url, ANSWER_SECONDS) as other:
        session = await _session(one)
        async with other.transaction():
            if await other.fetchval(SESSION) == session:
                return True
            try:  # a pooler now has to serve `one` with another session
                return await asyncio.wait_for(_session(one), ARRIVAL_SECONDS) != session
            except TimeoutError:
                return True


async def _session(connection: Connection) -> int:
    async with connection.transaction():
        return int(await connection.fetchval(SESSION))


async def _arrives(url: str, listen_url: str) -> bool:
    channel, arrived = f"sightline_check_{token_hex(8)}", asyncio.Event()
    async with connected(listen_url, ANSWER_SECONDS) as listener, connected(url, ANSWER_SECONDS) as sender:
        await listener.add_listener(channel, lambda *_: arrived.set())
        await sender.execute(f"SELECT pg_notify('{channel}', '')")
        try:
            await asyncio.wait_for(arrived.wait(), ARRIVAL_SECONDS)
        except TimeoutError:
            return False
    return True
