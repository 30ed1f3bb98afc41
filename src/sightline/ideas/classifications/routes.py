"""Operations on the classifications of an idea. Specification: Ideas."""

from sightline.ideas.classifications import review
from sightline.ideas.classifications.records import ClassificationReview, Classifications
from sightline.platform.http.operations import Call, operation
from sightline.platform.refs import IdeaRef
from sightline.platform.scopes import Scope
from sightline.platform.wire import Versioned


@operation("GET", "/ideas/{ref}/classifications", scopes=[Scope.IDEAS_READ])
async def get_idea_classifications(call: Call, ref: IdeaRef) -> Versioned[Classifications]:
    """Gets every group of the active taxonomy with the idea's value and its review."""
    async with call.db.autocommit() as tx:
        return await review.read_classifications(tx, call.actor, ref, at_once=call.at_once)


@operation(
    "PATCH",
    "/ideas/{ref}/classifications",
    scopes=[Scope.IDEAS_WRITE],
    example={"updates": [{"groupKey": "theme", "action": "accept"}]},
)
async def review_idea_classification(
    call: Call, ref: IdeaRef, changes: ClassificationReview
) -> Versioned[Classifications]:
    """Reviews the value of one group: accept, reject, correct, or mark the group as unassigned."""
    async with call.db.transaction() as tx:
        return await review.review_classification(tx, call.actor, ref, changes, call.expect)
