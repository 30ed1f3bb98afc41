"""Reads forms, and checks that they come from a page of the session."""

import re
import secrets
from urllib.parse import parse_qsl

from starlette.requests import Request

from sightline.platform.http.bodies import receive_body
from sightline.platform.server_secret import ServerSecret

LARGEST = 128 * 1024
_MOST_FIELDS = 50
_TYPE = "application/x-www-form-urlencoded"
_PURPOSE = "form"
_SCHEME_OR_PORT = re.compile(r"^https?://|:[0-9]*$")


class NotAForm(Exception):
    """The body is not a form."""


async def read_form(request: Request) -> dict[str, str]:
    """Returns the fields, the first of each name. Raises NotAForm, and TooLarge above 128 KiB."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
        raise NotAForm
    body = await receive_body(request.receive, request.scope["headers_by_name"], LARGEST)
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        raise NotAForm from None
    if any("\0" in name or "\0" in value for name, value in pairs):
        raise NotAForm
    fields: dict[str, str] = {}
    for name, value in pairs:
        fields.setdefault(name, value.replace("\r\n", "\n"))
    return fields


def form_token(secret: ServerSecret, session_token: str) -> str:
    """Returns a token for the forms of one page. It differs each time, so that compression does not reveal it."""
    salt = secrets.token_urlsafe(12)
    return f"{salt}.{secret.sign(_PURPOSE, session_token, salt)}"


def is_own_form(secret: ServerSecret, session_token: str, token: str, request: Request) -> bool:
    """Whether a page of this session sent the form."""
    salt, _, signature = token.partition(".")
    return is_of_this_site(request) and secret.is_signed(signature, _PURPOSE, session_token, salt)


def is_of_this_site(request: Request) -> bool:
    """Whether no other site sent the form, as far as the browser says: by `Sec-Fetch-Site`, without it by `Origin`."""
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site in ("same-origin", "none")
    host = request.scope["headers_by_name"].get(b"host", b"").decode("latin-1")
    return _name_of(request.headers.get("origin", host)) == _name_of(host)


def _name_of(host: str) -> str:
    """Returns the name of an origin or a host, without the port, which proxies may leave out."""
    return _SCHEME_OR_PORT.sub("", host.lower())
