"""Choosing the language of the pages."""

from starlette.responses import Response

from sightline.portal.problems import FormNotReadable
from sightline.portal.sign_in.return_to import safe_path
from sightline.portal.visits import Visit
from sightline.web.languages.catalogue import LANGUAGES

_KEPT_SECONDS = 365 * 24 * 3600


async def choose(visit: Visit) -> Response:
    """Keeps the language in a cookie of this browser, and goes back to the page. Raises FormNotReadable."""
    if (language := visit.form.get("language", "")) not in LANGUAGES:
        raise FormNotReadable
    response = visit.go(safe_path(visit.form.get("back")))
    visit.set_cookie(response, "language", language, _KEPT_SECONDS)
    return response
