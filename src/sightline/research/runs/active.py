"""Which runs, sections and additions are active: those that are queued or running."""

from typing import Final

ACTIVE: Final = ("queued", "running")
IS_ACTIVE: Final = "status IN ('queued', 'running')"  # of a row of research_runs or research_sections
IS_BEING_ADDED: Final = "addition_status IN ('queued', 'running')"  # of a row of research_runs
