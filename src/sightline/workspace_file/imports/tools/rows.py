"""What tools need beside their maps: functions from one of their rows to another, or to None to leave it out."""

from collections.abc import Callable, Mapping
from typing import Any

from sightline.workspace_file.imports.texts import without_wiki_markup

Row = dict[str, Any]


def _zendesk(row: Row) -> Row | None:
    """Leaves out deleted tickets, which the incremental export still has."""
    return None if (row.get("data") or {}).get("status") == "deleted" else row


def _jira(row: Row) -> Row:
    if isinstance(text := row.get("description"), str):
        row["description"] = without_wiki_markup(text) or row.get("name")
    return row


def _described(row: Row) -> Row:
    """Describes a post that has a title only."""
    return row if row.get("description") else row | {"description": row.get("name")}


ROWS: Mapping[str, Callable[[Row], Row | None]] = {
    "aha": _described,
    "canny": _described,
    "fider": _described,
    "jira": lambda row: _described(_jira(row)),
    "uservoice": _described,
    "zendesk": _zendesk,
}
