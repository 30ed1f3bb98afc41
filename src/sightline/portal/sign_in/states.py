"""The states of sign-ins in progress, each in its own signed cookie.

The cookie's name has a hash of the state, its value the expiry and a signature. The server checks the expiry, not
only the browser.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256

from sightline.platform.server_secret import ServerSecret

LIFE = timedelta(minutes=10)
MOST = 8
_PURPOSE = "sign-in state"


def cookie_name(prefix: str, state: str) -> str:
    """`prefix` is the portal's own, so that portals on one host do not mix up their states."""
    return f"{prefix}state_{sha256(state.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def cookie_value(secret: ServerSecret, prefix: str, state: str, now: datetime) -> str:
    ends = str(int((now + LIFE).timestamp()))
    return f"{ends}.{secret.sign(_PURPOSE, prefix, state, ends)}"


def is_issued(secret: ServerSecret, prefix: str, state: str, cookies: Mapping[str, str], now: datetime) -> bool:
    """Whether this browser has the state, which is valid for 10 minutes."""
    ends, _, signature = cookies.get(cookie_name(prefix, state), "").partition(".")
    if not secret.is_signed(signature, _PURPOSE, prefix, state, ends):
        return False
    return now.timestamp() <= int(ends)


def surplus(prefix: str, cookies: Mapping[str, str]) -> list[str]:
    """Returns the names of the oldest state cookies, to be deleted for a new one. Names never issued are left alone."""
    issued = re.compile(re.escape(prefix) + "state_[0-9a-f]{16}")
    held = [name for name in cookies if issued.fullmatch(name)]
    held.sort(key=lambda name: cookies[name].partition(".")[0].zfill(20))
    return held[: max(0, len(held) - MOST + 1)]
