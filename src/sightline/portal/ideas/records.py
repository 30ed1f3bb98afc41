"""Ideas as portals show them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


def _columns(description: str) -> str:
    """Returns the columns of a ShownIdea, in its order, for a row of `ideas`. `:user_id` is the visitor."""
    return f"""
    ideas.id, 'IDEA-' || ideas.number AS public_id, ideas.name, {description} AS description, ideas.status,
    (SELECT name FROM products WHERE workspace_id = :workspace_id AND id = ideas.product_id) AS product,
    ideas.vote_count,
    EXISTS (SELECT FROM portal_votes
             WHERE workspace_id = :workspace_id AND idea_id = ideas.id AND user_id = :user_id) AS is_voted,
    (SELECT count(*) FROM idea_comments
      WHERE workspace_id = :workspace_id AND idea_id = ideas.id AND visibility = 'portal') AS comment_count,
    ideas.created_at"""


SHORT = _columns("left(ideas.description, 400)")
WHOLE = _columns("ideas.description")


@dataclass(frozen=True, slots=True)
class ShownIdea:
    """An idea on a page. In lists the description has at most 400 characters. `is_voted`: the visitor votes for it."""

    id: UUID
    public_id: str
    name: str
    description: str
    status: str
    product: str | None
    vote_count: int
    is_voted: bool
    comment_count: int
    created_at: datetime
