"""What tools need beside their maps: functions from one of their rows to another, or to None to leave it out."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from itertools import dropwhile
from typing import Any

from sightline.intelligence.embedded.naming import name_idea
from sightline.intelligence.embedded.signals.boilerplate import is_small_talk

Row = dict[str, Any]

_WIKI_CELLS = re.compile(r"[ \t]*\|+[ \t]*")
_WIKI: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\r\n?|\\\\"), "\n"),
    (re.compile(r"\{(?:quote|code|noformat|panel|color)\b[^}\n]*\}|^-{4,}[ \t]*$", re.MULTILINE), ""),
    (re.compile(r"^(?:h[1-6]|bq)\.[ \t]+|!\S+\.\w+(?:\|[^!\n]*)?!", re.MULTILINE), ""),
    (re.compile(r"^[*#-]+[ \t]+", re.MULTILINE), "- "),
    (re.compile(r"\{\{([^}\n]*)\}\}"), r"\1"),
    (re.compile(r"\[~(?:accountid:)?([^\]\n]+)\]"), r"@\1"),
    (re.compile(r"\[([^|\]\n]+)\|([^\]|\n]+)[^\]\n]*\]"), r"\1 (\2)"),
    (re.compile(r"\[((?:https?://|mailto:)[^\]\n]+)\]"), r"\1"),
    (re.compile(r"^[ \t]*\|+(.+?)\|+[ \t]*$", re.MULTILINE), lambda row: " | ".join(_WIKI_CELLS.split(row[1]))),
    (re.compile(r"(?<![\w*])\{?([*_+-])\}?(\S(?:[^\n]*?\S)?)\{?\1\}?(?![\w*])"), r"\2"),
    (re.compile(r"\n[ \t]*(?:\n[ \t]*)+"), "\n\n"),
)


def _fider(row: Row) -> Row | None:
    return None if row.get("status") == "deleted" else _described(row)


def _zendesk(row: Row) -> Row | None:
    """Leaves out deleted tickets, which the incremental export still has. A view as CSV has `-` for nothing."""
    row = _without_dashes(row)
    return None if (row.get("data") or {}).get("status") == "deleted" else _named(row)


def _without_dashes(row: Row) -> Row:
    shown = {name: _without_dashes(value) if isinstance(value, dict) else value for name, value in row.items()}
    return {name: value for name, value in shown.items() if value not in ("-", ["-"])}


def _named(row: Row) -> Row:
    """Names a ticket or note without a title by its text, as the API does, without the greeting."""
    if str(row.get("name") or "").strip():
        return row
    text = str((row.get("rawData") or {}).get("text") or "").strip()
    lines = dropwhile(lambda line: not line.strip() or is_small_talk(line), text.splitlines())
    return row | {"name": name_idea("\n".join(lines) or text) if text else str(row.get("externalId"))}


def _without_wiki_markup(text: str) -> str:
    """Returns the text of Jira's wiki markup."""
    for pattern, replacement in _WIKI:
        text = pattern.sub(replacement, text)
    return unescape(text).strip()


def _jira(row: Row) -> Row:
    if isinstance(text := row.get("description"), str):
        row["description"] = _without_wiki_markup(text) or row.get("name")
    return row


def _described(row: Row) -> Row:
    """Describes a post that has a title only."""
    is_named_only = row.get("name") and not str(row.get("description") or "").strip()
    return row | {"description": row["name"]} if is_named_only else row


_FIDER_STATUSES: dict[Any, str] = dict(
    enumerate(("open", "started", "completed", "declined", "planned", "duplicate", "deleted"))
)


def _join_fider(tables: Mapping[str, list[Row]]) -> Iterator[Row]:
    """Yields the posts of a backup as rows of the CSV export, with the addresses of their voters."""
    numbers = {post.get("id"): post.get("number") for post in tables["posts"]}
    emails = {user.get("id"): user.get("email") for user in tables["users"]}
    names = {tag.get("id"): tag.get("name") for tag in tables["tags"]}
    voters, tags = defaultdict(list), defaultdict(list)
    for vote in tables["post_votes"]:
        voters[vote.get("post_id")].append(emails.get(vote.get("user_id")) or f"user {vote.get('user_id')}")
    for tag in tables["post_tags"]:
        tags[tag.get("post_id")].append(names.get(tag.get("tag_id")))
    for post in tables["posts"]:
        row = {name: post.get(name) for name in ("number", "title", "description", "created_at", "response")}
        yield row | {
            "status": _FIDER_STATUSES.get(post.get("status"), post.get("status")),
            "original_number": numbers.get(post.get("original_id")),
            "tags": tags[post.get("id")],
            "voters": voters[post.get("id")],
        }


# Of tools whose backup is a ZIP of tables: the names of the tables, first the one with the posts, and what joins them.
BACKUPS: Mapping[str, tuple[tuple[str, ...], Callable[[Mapping[str, list[Row]]], Iterator[Row]]]] = {
    "fider": (("posts", "users", "post_votes", "tags", "post_tags"), _join_fider)
}


ROWS: Mapping[str, Callable[[Row], Row | None]] = {
    "aha": _described,
    "canny": _described,
    "fider": _fider,
    "productboard": _named,
    "jira": lambda row: _described(_jira(row)),
    "uservoice": _described,
    "zendesk": _zendesk,
}
