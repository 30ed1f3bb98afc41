"""What tools need beside their maps."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from sightline.imports.maps import Map
from sightline.platform.markup import unescape

Row = dict[str, Any]

_ROW = re.compile(r"^[ \t]*\|++[^|\n].*\|[ \t]*$", re.MULTILINE)
_GAP = re.compile(r"(?:(?<![ \t])[ \t]*)?\|+[ \t]*")  # between two cells of a row


@cache
def _wiki() -> list[tuple[re.Pattern[str], str]]:
    """Returns what is replaced in Jira's wiki markup, and by what."""
    found = yaml.safe_load((Path(__file__).parents[1] / "wiki.yaml").read_bytes())
    return [(re.compile(pattern, re.MULTILINE), replacement) for pattern, replacement in found]


def prepare(map: Map, row: Row) -> Row | None:
    """Returns a record, of a tool with the name or description that it lacks; None for one to leave out."""
    for field, value in map.leave_out.items():
        above, _, name = field.rpartition(".")
        if (row.get(above) or {} if above else row).get(name) == value:
            return None
    if map.kind == "signals":
        text = str((row.get("rawData") or {}).get("text") or "").strip()
        is_named = str(row.get("name") or "").strip()
        return row if is_named else row | {"name": None if text else str(row.get("externalId"))}
    is_named_only = map.tool and row.get("name") and not str(row.get("description") or "").strip()
    return row | {"description": row["name"]} if is_named_only else row


def without_wiki_markup(text: str) -> str:
    """Returns the text of Jira's wiki markup."""
    for pattern, replacement in _wiki():
        text = pattern.sub(replacement, text)
    text = _ROW.sub(lambda row: " | ".join(_GAP.split(row[0].strip(" \t").strip("|"))), text)
    return unescape(text).strip()


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
