"""Ideas as portals show them."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from sightline.catalog.portal_labels import ShownLabel, shown_label

# The visible ideas, each with the total of its votes; `idea_votes` has no others.
SHOWN = """
    (SELECT ideas.*, votes.total
       FROM ideas JOIN idea_votes AS votes ON votes.workspace_id = :workspace_id AND votes.number = ideas.number
      WHERE ideas.workspace_id = :workspace_id) AS ideas"""


def _columns(description: str, answer: str) -> str:
    """Returns the columns of a ShownIdea, in its order, for a row of `SHOWN`. `:user_id` is the visitor."""
    return f"""
    ideas.id, 'IDEA-' || ideas.number AS public_id, ideas.name, {description} AS description,
    ideas.status AS label,
    (SELECT portal::text FROM idea_statuses
      WHERE workspace_id = :workspace_id AND label = ideas.status) AS label_settings,
    (SELECT name FROM products WHERE workspace_id = :workspace_id AND id = ideas.product_id) AS product,
    ideas.total AS vote_count,
    EXISTS (SELECT FROM portal_votes
             WHERE workspace_id = :workspace_id AND idea_id = ideas.id AND user_id = :user_id) AS is_voted,
    (SELECT count(*) FROM idea_comments
      WHERE workspace_id = :workspace_id AND idea_id = ideas.id AND visibility = 'portal') AS comment_count,
    ideas.created_at, {answer} AS answer"""


SHORT = _columns("left(ideas.description, 400)", "NULL")
LONG = _columns("left(ideas.description, 5000)", "NULL")  # for a passage with words that are searched for
WHOLE = _columns("ideas.description", "ideas.official_answer")


class ShownIdea(Struct, frozen=True):
    """An idea on a page. In lists the description has at most 400 characters, 5,000 in a search, and no answer.

    `vote_count` includes the imported votes. `is_voted`: the visitor votes for it.
    """

    id: UUID
    public_id: str
    name: str
    description: str
    label: str
    label_settings: str | None
    product: str | None
    vote_count: int
    is_voted: bool
    comment_count: int
    created_at: datetime
    answer: str | None

    @property
    def status(self) -> ShownLabel | None:
        return shown_label(self.label, self.label_settings)
