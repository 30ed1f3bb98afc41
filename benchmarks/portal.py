"""The portal's pages: the list of ideas as a signed-in browser opens it, and a vote as its script sends it."""

from urllib.parse import urlencode

from benchmarks.world import SECRET, World
from sightline.portal.html.forms import form_token
from sightline.portal.server_secret import ServerSecret

PORTAL_ROWS = ("portal_list", "portal_vote")
PORTAL = "/portal/bench"
VOTED_IDEAS = 100


def portal_requests(world: World, name: str) -> list[bytes]:
    """The requests of a row. Votes are given to the ideas in turn, and then taken back."""
    if name == "portal_list":
        return [_request("GET", f"{PORTAL}/", world.session)]
    token = form_token(ServerSecret(SECRET), world.session)
    return [
        _request(
            "POST",
            f"{PORTAL}/ideas/IDEA-{number}/vote",
            world.session,
            urlencode({"csrf": token, "vote": vote, "back": "/"}),
        )
        for vote in ("1", "0")
        for number in range(1, min(VOTED_IDEAS, world.size) + 1)
    ]


def _request(method: str, path: str, session: str, form: str = "") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", f"cookie: sl_bench_session={session}"]
    if form:
        lines += ["hx-request: true", "content-type: application/x-www-form-urlencoded"]
        lines += [f"content-length: {len(form)}"]
    return ("\r\n".join(lines) + "\r\n\r\n" + form).encode()
