"""What the room refuses. Decisions: Research."""

from sightline.platform.errors import Conflict


class StalePlan(Conflict):
    """409: the plan has changed since it was read; extra `currentRowVersion`."""

    code, title = "STALE_PLAN", "The plan has changed"


class IncompatibleRun(Conflict):
    """409: the run is not in a state that allows this; extra `currentStatus`."""

    code, title = "INCOMPATIBLE_RUN", "The run does not allow this"


class DestinationUnavailable(Conflict):
    """409: the findings cannot be added to this product."""

    code, title = "DESTINATION_UNAVAILABLE", "The product cannot receive the findings"


class ScheduleNotAllowed(Conflict):
    """409: the brief's state, the plan of the workspace or a managed schedule forbids it; extra `currentState`."""

    code, title = "SCHEDULE_NOT_ALLOWED", "The schedule cannot be changed"


class RunActive(Conflict):
    """409: the brief has a run that has not ended; extra `runId`."""

    code, title = "RUN_ACTIVE", "A run of this brief is active"
