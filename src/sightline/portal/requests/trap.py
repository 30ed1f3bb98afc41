"""Recognizes programs that fill in the request form: by a hidden field, and by the time they take."""

from datetime import datetime, timedelta

from sightline.platform.server_secret import ServerSecret
from sightline.web.languages.catalogue import N_

FIELD = "fax_number"
FILLED_IN = N_("A hidden field was filled in. It is empty again: send the form once more.")
TOO_FAST = N_("The form was sent too fast, as programs do. Send it again.")
TOO_LATE = N_("The form was open for more than a day. Send it again.")

_PURPOSE = "form opened"
SHORTEST = timedelta(seconds=2)
_LONGEST_SECONDS = 24 * 3600


def opened(secret: ServerSecret, session_token: str, now: datetime) -> str:
    """Returns the signed time at which a form is opened. The form sends it back."""
    opened_at = str(int(now.timestamp()))
    return f"{opened_at}.{secret.sign(_PURPOSE, session_token, opened_at)}"


def find_fault(secret: ServerSecret, session_token: str, form: dict[str, str], now: datetime) -> str | None:
    """Returns why the form looks like one that a program sent, or None.

    The hidden field has to be empty, and the form be sent 2 seconds to 24 hours after it was opened.
    """
    if form.get(FIELD):
        return FILLED_IN
    opened_at, _, signature = form.get("opened", "").partition(".")
    if not secret.is_signed(signature, _PURPOSE, session_token, opened_at):
        return TOO_LATE
    seconds = now.timestamp() - int(opened_at)
    if seconds > _LONGEST_SECONDS:
        return TOO_LATE
    return TOO_FAST if seconds < SHORTEST.total_seconds() else None
