"""Which insights are used: rejected and merged ones are kept, but no evidence for anything. Decisions: Insights."""

from typing import Final

UNUSED: Final = ("rejected", "merged")
IN_USE: Final = "review_state NOT IN ('rejected', 'merged')"
