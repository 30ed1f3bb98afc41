"""What the room refuses. Decisions: Research."""

from typing import Any, ClassVar

from sightline.platform.errors import Conflict


class StalePlan(Conflict):
    """409: the plan has changed since it was read."""

    code, title = "STALE_PLAN", "The plan has changed"
    members: ClassVar[dict[str, Any]] = {"currentRowVersion": 3}


class IncompatibleRun(Conflict):
    """409: the run is not in a state that allows this."""

    code, title = "INCOMPATIBLE_RUN", "The run does not allow this"
    members: ClassVar[dict[str, Any]] = {"currentStatus": "running"}


class DestinationUnavailable(Conflict):
    """409: the findings cannot be added to this product."""

    code, title = "DESTINATION_UNAVAILABLE", "The product cannot receive the findings"


class ScheduleNotAllowed(Conflict):
    """409: the brief's state, the plan of the workspace or a managed schedule forbids it.

    `allowed` has the run policies of the plan, where that is the reason.
    """

    code, title = "SCHEDULE_NOT_ALLOWED", "The schedule cannot be changed"
    members: ClassVar[dict[str, Any]] = {"currentState": "paused", "allowed": ["on_demand", "weekly"]}


class RunActive(Conflict):
    """409: the brief has a run that has not ended."""

    code, title = "RUN_ACTIVE", "A run of this brief is active"
    members: ClassVar[dict[str, Any]] = {"runId": "0193f1a2-7c00-7e0d-8f2a-5b7f0c9d1e42"}
