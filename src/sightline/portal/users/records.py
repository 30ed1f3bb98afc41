"""A person who uses a portal."""

from typing import NamedTuple
from uuid import UUID

# In the order of User's fields.
COLUMNS = "id, email, first_name, last_name, subject"


class User(NamedTuple):
    """`subject` is the person's id in the customer's product; None if only the e-mail is known."""

    id: UUID
    email: str
    first_name: str
    last_name: str
    subject: str | None
