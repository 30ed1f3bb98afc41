"""The portal's pages: the list of ideas as a signed-in browser opens it, and a vote as its script sends it."""

from urllib.parse import urlencode

from benchmarks.operations import write_request
from benchmarks.world import SECRET, World
from sightline.portal.html.forms import form_token
from sightline.portal.server_secret import ServerSecret

PORTAL = "/portal/bench"
VOTED_IDEAS = 100


def portal_list(world: World) -> list[bytes]:
    return [write_request("GET", f"{PORTAL}/", accept="text/html", cookie=_cookie(world))]


def portal_vote(world: World) -> list[bytes]:
    """Votes are given to the ideas in turn, and then taken back."""
    form = {"csrf": form_token(ServerSecret(SECRET), world.session), "back": "/"}
    headers = {"accept": "*/*", "cookie": _cookie(world), "hx_request": "true"}
    headers["content_type"] = "application/x-www-form-urlencoded"
    return [
        write_request(
            "POST", f"{PORTAL}/ideas/IDEA-{number}/vote", body=urlencode({**form, "vote": vote}).encode(), **headers
        )
        for vote in ("1", "0")
        for number in range(1, min(VOTED_IDEAS, world.size) + 1)
    ]


def _cookie(world: World) -> str:
    return f"sl_bench_session={world.session}"
