"""One task with a model: its budget, what it took, and how it fails."""

import time
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

from msgspec import Struct

CHARACTERS_A_TOKEN: Final = 4
BY_MODEL: Final = "model:"  # how the name of a model as an engine begins


class ModelFailed(Exception):
    """The model gave no usable answer. The message is one sentence, without words of the material."""


class FormRefused(ModelFailed):
    """The endpoint refuses the request, perhaps because of the form of answer that it asks for."""


class Budget(Struct, frozen=True):
    """What one task may take."""

    requests: int = 12
    tokens: int = 200_000
    seconds: float = 300.0


class Task(NamedTuple):
    """Work for one record: `name` is its kind, such as `documents.write`."""

    workspace_id: UUID
    name: str
    record_id: UUID


@dataclass(slots=True)
class Session:
    """Counts what a task takes. Tokens that the endpoint does not report are estimated and counted as `unmeasured`."""

    budget: Budget
    started: float = field(default_factory=time.monotonic)
    requests: int = 0
    unmeasured: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float:
        return self.budget.seconds - self.seconds

    def begin_request(self, characters: int) -> None:
        """Counts a request of this length. Raises ModelFailed instead if the task may not make it."""
        if self.requests >= self.budget.requests:
            raise ModelFailed("The requests of this task are used up.")
        if self.input_tokens + self.output_tokens + characters // CHARACTERS_A_TOKEN >= self.budget.tokens:
            raise ModelFailed("The tokens of this task are used up.")
        if self.seconds_left <= 0:
            raise ModelFailed("The time of this task is used up.")
        self.requests += 1

    def add_tokens(self, taken: tuple[int, int] | None, sent: int, received: int) -> None:
        """Counts the tokens of an answer; `sent` and `received` are the characters to estimate them from."""
        if taken is None:
            self.unmeasured += 1
            taken = sent // CHARACTERS_A_TOKEN + 1, received // CHARACTERS_A_TOKEN + 1
        self.input_tokens += taken[0]
        self.output_tokens += taken[1]
