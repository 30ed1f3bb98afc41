"""The votes for an idea as the API shows them."""

from uuid import UUID

from sightline.platform.wire import Record


class AccountVotes(Record):
    """How many people of an account vote for the idea."""

    account_id: UUID
    name: str
    votes: int


class IdeaVotes(Record):
    """The votes for an idea, the account with most votes first; `withoutAccount` counts people without any account."""

    total: int
    accounts: list[AccountVotes]
    without_account: int
