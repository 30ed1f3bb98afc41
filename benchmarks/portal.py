"""The portal's pages: the list of ideas as a signed-in browser opens it, and a vote as its script sends it."""

from urllib.parse import urlencode

from benchmarks.operations import write_request
from benchmarks.world import World

PORTAL = "/portal/bench"
VOTED_IDEAS = 100


def portal_list(world: World) -> list[bytes]:
    return [write_request("GET", f"{PORTAL}/", accept="text/html", cookie=world.cookie)]


def portal_vote(world: World) -> list[bytes]:
    """Votes are given to the ideas in turn, and then taken back."""
    form = {"csrf": world.form_token, "back": "/"}
    headers = {"accept": "*/*", "cookie": world.cookie, "hx_request": "true"}
    headers["content_type"] = "application/x-www-form-urlencoded"
    return [
        write_request(
            "POST", f"{PORTAL}/ideas/IDEA-{number}/vote", body=urlencode({**form, "vote": vote}).encode(), **headers
        )
        for vote in ("1", "0")
        for number in range(1, min(VOTED_IDEAS, world.size) + 1)
    ]
