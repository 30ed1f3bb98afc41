"""The commands of the two operations that write, each named by its `action`. Specification: Research."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from sightline.intelligence.plans import MOST_READS, AppConnector
from sightline.platform.errors import Fault
from sightline.platform.wire import Id, Input, Text, Trimmed, both_or_none_of
from sightline.research.plans.inputs import NewPlanDefinition, NumericId, PlanName, ReadLabel
from sightline.research.schedules.cadence import RunPolicy, is_zone


class PlanQuestion(Trimmed):
    """8 to 3,000 characters, trimmed."""

    shortest = 8
    longest = 3_000


class Rationale(Text):
    """1 to 10,000 characters."""

    longest = 10_000


class Zone(Text):
    """The IANA name of a time zone, such as Europe/Berlin."""

    longest = 100

    @classmethod
    def read(cls, value: Any) -> str:
        text = super().read(value)
        if not is_zone(text):
            raise ValueError("Expected the name of a time zone such as Europe/Berlin")
        return text

    @classmethod
    def schema(cls) -> dict[str, Any]:
        pattern = "^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$"
        return {**super().schema(), "pattern": pattern, "examples": ["Europe/Berlin"]}


class GivenPlan(Input):
    """The `preparedPlan` of an earlier response."""

    name: PlanName
    definition: NewPlanDefinition
    rationale: Rationale | None = None


ShownText = Annotated[str, Meta(max_length=1_000)]


class SelectedApp(Input):
    """One of the `choices` of an earlier response, with all or some of what it gave. The store is searched again."""

    connector: AppConnector
    external_id: NumericId
    label: ReadLabel
    publisher: ShownText | None = None
    reason: ShownText | None = None


class PrepareCommand(Input, tag_field="action", tag="prepare"):
    """Drafts a plan to review. With `preparedPlan` and `selection` it adds the selected apps to that plan."""

    question: PlanQuestion
    prepared_plan: GivenPlan | None = None
    selection: Annotated[list[SelectedApp], Meta(max_length=MOST_READS)] | None = None

    schema_between: ClassVar = both_or_none_of("preparedPlan", "selection")

    @classmethod
    def faults_between(cls, value: dict[str, Any]) -> Iterator[Fault]:
        yield from _needed_together(value, "preparedPlan", "selection")


class StartCommand(Input, tag_field="action", tag="start"):
    """Saves a plan and queues its run, once per `requestId`. Editing takes `briefId` and `expectedRowVersion`."""

    request_id: Id
    name: PlanName
    definition: NewPlanDefinition
    brief_id: Id | None = None
    expected_row_version: Annotated[int, Meta(ge=1, le=2_147_483_647)] | None = None

    schema_between: ClassVar = both_or_none_of("briefId", "expectedRowVersion")

    @classmethod
    def faults_between(cls, value: dict[str, Any]) -> Iterator[Fault]:
        yield from _needed_together(value, "briefId", "expectedRowVersion")


def _needed_together(value: dict[str, Any], first: str, second: str) -> Iterator[Fault]:
    if (value.get(first) is None) != (value.get(second) is None):
        yield Fault(first if value.get(first) is None else second, f"{first} and {second} are needed together")


class _OfRun(Input):
    """Names a run of a brief."""

    brief_id: Id
    run_id: Id


class AddCommand(_OfRun, tag_field="action", tag="add"):
    """Queues the saved sources of a run to become signals of a product, without a new search."""

    product_id: Id


class RetryCommand(_OfRun, tag_field="action", tag="retry"):
    """Searches the sections again that have no result; dates and completed sections stay."""


class RetryAdditionCommand(_OfRun, tag_field="action", tag="retry_addition"):
    """Continues an addition that failed."""


class StopCommand(_OfRun, tag_field="action", tag="stop"):
    """Ends a run; sections that are completed stay."""


RunCommand = PrepareCommand | StartCommand | AddCommand | RetryCommand | RetryAdditionCommand | StopCommand


class ResearchRun(Input):
    """Exactly one command."""

    command: RunCommand


class KeepCommand(Input, tag_field="action", tag="keep"):
    """Activates the reviewed plan, whose findings have been added."""

    brief_id: Id
    run_id: Id
    run_policy: RunPolicy
    timezone: Zone | None = None


class ScheduleCommand(Input, tag_field="action", tag="schedule"):
    """Changes the cadence of an active brief. Without `timezone` the brief keeps its own."""

    brief_id: Id
    run_policy: RunPolicy
    timezone: Zone | None = None


class PauseCommand(Input, tag_field="action", tag="pause"):
    """Stops future automatic runs."""

    brief_id: Id


class ResumeCommand(Input, tag_field="action", tag="resume"):
    """Restores the saved cadence."""

    brief_id: Id


class ArchiveCommand(Input, tag_field="action", tag="archive"):
    """Archives a paused brief; history and signals stay."""

    brief_id: Id


UpdateCommand = KeepCommand | ScheduleCommand | PauseCommand | ResumeCommand | ArchiveCommand


class ResearchUpdate(Input):
    """Exactly one command."""

    command: UpdateCommand
