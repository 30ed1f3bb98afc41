"""A customer's product in one file: it has its own login, and it lets its users into the ideas portal.

The part to copy is `enter_portal`: it signs a short-lived token for the user who is signed in here, and sends the
browser back to the portal with it. Everything else stands for the product you already have.

    PORTAL_URL=http://127.0.0.1:8000/portal/acme PORTAL_SECRET=... python app.py --port 8001
"""

import argparse
import os
import secrets
import time
from html import escape
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

import jwt
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

PORTAL_URL = os.environ.get("PORTAL_URL", "http://127.0.0.1:8000/portal/fennmark").rstrip("/")
PORTAL_SECRET = os.environ.get("PORTAL_SECRET", "")
CALLBACK_URL = f"{PORTAL_URL}/api/portal/auth/jwt/callback"
PORTAL_LOGOUT_URL = f"{PORTAL_URL}/api/portal/portal_session/logout"
PASSWORD = "demo"  # noqa: S105 - everybody's password in this example
SESSION = "bench_session"


class User(NamedTuple):
    """A user of the product, and the company that the product knows them by."""

    id: str
    email: str
    first_name: str
    last_name: str
    company_id: str
    company: str


USERS = {
    user.email: user
    for user in (
        User("u-1", "oda@torvane.example", "Oda", "Brekkum", "crm-101", "Torvane Cycles"),
        User("u-2", "ilse@pedalwright.example", "Ilse", "Hovarth", "crm-102", "Pedalwright Co-op"),
        User("u-3", "new@unknown.example", "Noor", "Newcomer", "crm-999", "Newcomer Bikes"),
    )
}
SESSIONS: dict[str, User] = {}  # a real product keeps its sessions where they survive a restart


def current_user(request: Request) -> User | None:
    """The user who is signed in to this product."""
    return SESSIONS.get(request.cookies.get(SESSION, ""))


async def home(request: Request) -> Response:
    """The product's own page, with the way into the portal."""
    user = current_user(request)
    if user is None:
        return RedirectResponse("/login", 303)
    return page(
        "Workshop",
        f"""<p>Signed in as {escape(user.first_name)} {escape(user.last_name)}, {escape(user.company)}.</p>
        <p><a class="button" href="{escape(PORTAL_URL)}/">Ideas: vote and ask</a></p>
        <form method="post" action="/logout"><button>Sign out</button></form>""",
    )


async def login(request: Request) -> Response:
    """The product's own login; `next` is where the user wanted to go, a path of this product."""
    form = dict(request.query_params) | dict(parse_qsl((await request.body()).decode()))
    next_path = own_path(form.get("next", "/"))
    if request.method == "GET":
        return login_page(next_path)
    user = USERS.get(form.get("email", "").strip().lower())
    if user is None or form.get("password") != PASSWORD:
        return login_page(next_path, "That e-mail address and password do not belong together.")
    session = secrets.token_urlsafe(32)
    SESSIONS[session] = user
    response = RedirectResponse(next_path, 303)
    response.set_cookie(SESSION, session, httponly=True, samesite="lax", secure=request.url.scheme == "https")
    return response


async def enter_portal(request: Request) -> Response:
    """The remote login URL. Keeps `state` and `return_to` exactly as they came, and signs only for a signed-in user."""
    user = current_user(request)
    if user is None:
        return RedirectResponse(f"/login?{urlencode({'next': f'/portal/enter?{request.url.query}'})}", 302)
    now = int(time.time())
    claims = {
        "iat": now,
        "exp": now + 300,
        "jti": secrets.token_urlsafe(24),
        "sub": user.id,
        "email": user.email,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "accounts": [{"accountExternalId": user.company_id, "accountName": user.company}],
    }
    answer = {
        "jwt": jwt.encode(claims, PORTAL_SECRET, algorithm="HS256"),
        "state": request.query_params.get("state", ""),
        "return_to": request.query_params.get("return_to", "/"),
    }
    return RedirectResponse(f"{CALLBACK_URL}?{urlencode(answer)}", 302, {"Referrer-Policy": "no-referrer"})


async def left_portal(request: Request) -> Response:
    """The remote logout URL: the user has left the portal and is still signed in here."""
    return page(
        "You left the ideas portal",
        """<p>You are still signed in to the workshop.</p><p><a class="button" href="/">Back to the workshop</a></p>
        <form method="post" action="/logout"><button>Sign out here too</button></form>""",
    )


async def logout(request: Request) -> Response:
    """Ends the product's session, and then the portal's, by way of the portal's logout path."""
    SESSIONS.pop(request.cookies.get(SESSION, ""), None)
    response = RedirectResponse(PORTAL_LOGOUT_URL, 303)
    response.delete_cookie(SESSION)
    return response


def own_path(text: str) -> str:
    """A path of this product; anything that leads elsewhere becomes the home page."""
    return text if text.startswith("/") and not text.startswith("//") and "\\" not in text else "/"


def login_page(next_path: str, problem: str = "") -> HTMLResponse:
    people = "".join(
        f"<option value='{escape(email)}'>{escape(user.company)}</option>" for email, user in USERS.items()
    )
    return page(
        "Sign in",
        f"""<p role="alert">{escape(problem)}</p>
        <form method="post" action="/login">
          <input type="hidden" name="next" value="{escape(next_path)}">
          <label>E-mail <input name="email" type="email" list="people" required autocomplete="username"
            value="{next(iter(USERS))}"></label>
          <datalist id="people">{people}</datalist>
          <label>Password (it is {PASSWORD}) <input name="password" type="password" required
            autocomplete="current-password"></label>
          <button>Sign in</button>
        </form>""",
        401 if problem else 200,
    )


def page(title: str, body: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(PAGE.format(title=escape(title), body=body), status)


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - Workshop</title><link rel="icon" href="data:,">
<style>
  :root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }}
  body {{ max-width: 28rem; margin: 12vh auto; padding: 0 16px; }}
  label {{ display: block; margin: 16px 0; }}
  input {{ display: block; width: 100%; box-sizing: border-box; padding: 8px; font: inherit; }}
  button, .button {{ display: inline-block; padding: 8px 16px; border: 1px solid; border-radius: 8px; font: inherit;
    text-decoration: none; color: inherit; background: none; cursor: pointer; }}
  [role=alert]:empty {{ display: none; }}
</style></head><body><p>Example workshop software</p><h1>{title}</h1>{body}</body></html>"""

app = Starlette(
    routes=[
        Route("/", home),
        Route("/login", login, methods=["GET", "POST"]),
        Route("/logout", logout, methods=["POST"]),
        Route("/portal/enter", enter_portal),
        Route("/portal/left", left_portal),
    ]
)

if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--port", type=int, default=8001)
    uvicorn.run(app, host="127.0.0.1", port=arguments.parse_args().port, log_level="warning", access_log=False)
