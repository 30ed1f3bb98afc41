"""What a workspace file may say: the fields of each list, and the values that are fixed."""

SPARE = {"id", "key", "number", "createdAt", "updatedAt"}

FIELDS = {
    "members": "email name role active",
    "products": "name features",
    "products.features": "name description parent",
    "teams": "name members",
    "ideaStatuses": "label promotion portal",
    "accounts": "externalId name domain contacts",
    "accounts.contacts": "email name",
    "opportunities": "name description",
    "integrations": "kind name managesStatus",
    "sprints": "name state",
    "signals": "name signalType context processorType providerType evidenceKind analysisProfile status "
    "externalId integration sourceLabel source sourceLinks data transcript import rawData account accounts "
    "initiatives studies",
    "signals.sourceLinks": "name url type primary",
    "signals.initiatives": "initiative accepted",
    "insights": "title description category extracts accounts signals",
    "insights.extracts": "text signal",
    "ideas": "name description status product features initiative integration sprint sourceKey externalId "
    "createdSource provenance featureOwnership featureMatching opportunities insights accounts portalVisible "
    "officialAnswer importedVoteCount "
    "classifications questions comments evidence",
    "ideas.insights": "insight validated",
    "ideas.classifications": "groupKey optionValues textValue reviewState origin",
    "ideas.questions": "question placeholder reasoning status answer",
    "ideas.comments": "author body visibility",
    "ideas.evidence": "title description category extracts signal role origin resolvedAt resolution "
    "resolvedBy dismissedAt",
    "initiatives": "name description status priority product features teams startDate finishDate questions "
    "documents requestHash",
    "initiatives.questions": "question answer placeholder",
    "initiatives.documents": "type content version sources",
    "studies": "name status type phase appPath initiatives ideas",
    "feedback": "study rating metric subject comment submittedAt source account",
}

VALUES = {
    "members.role": "owner admin editor viewer",
    "sprints.state": "planned active completed",
    "signals.status": "pending processing processed failed",
    "signals.context": "discovery support sales success research market other",
    "signals.signalType": "transcript support_ticket review discovery_report meeting_notes "
    "reconstructed_notes feedback_record",
    "signals.processorType": "text conversation document review feedback",
    "signals.evidenceKind": "conversation support review feedback report note usage",
    "signals.analysisProfile": "customer_evidence market_evidence none",
    "ideas.featureOwnership": "automatic manual",
    "ideas.classifications.reviewState": "unreviewed accepted rejected corrected unassigned",
    "ideas.classifications.origin": "api suggested manual",
    "ideas.questions.status": "pending skipped answered rejected",
    "ideas.comments.visibility": "internal portal",
    "ideas.evidence.role": "supports qualifies contradicts context",
    "ideas.evidence.origin": "entity_creation manual import study research portal",
    "initiatives.status": "PENDING UNPLANNED PLANNED IN_PROGRESS COMPLETED ARCHIVED",
    "initiatives.priority": "URGENT HIGH MEDIUM LOW",
    "initiatives.documents.type": "INITIATIVE_BRIEF PRD TDD",
    "feedback.source": "study_completion live_interview",
}

# Where a record names another one, and in which list that one must be found.
REFERENCES = {
    "products.features.parent": "products.features",
    "teams.members": "members",
    "signals.integration": "integrations",
    "signals.account": "accounts",
    "signals.accounts": "accounts",
    "signals.initiatives.initiative": "initiatives",
    "signals.studies": "studies",
    "insights.accounts": "accounts",
    "insights.signals": "signals",
    "insights.extracts.signal": "signals",
    "ideas.product": "products",
    "ideas.features": "products.features",
    "ideas.initiative": "initiatives",
    "ideas.integration": "integrations",
    "ideas.sprint": "sprints",
    "ideas.opportunities": "opportunities",
    "ideas.insights.insight": "insights",
    "ideas.accounts": "accounts",
    "ideas.comments.author": "members",
    "ideas.evidence.signal": "signals",
    "ideas.evidence.extracts.signal": "signals",
    "ideas.evidence.resolvedBy": "members",
    "initiatives.product": "products",
    "initiatives.features": "products.features",
    "initiatives.teams": "teams",
    "studies.initiatives": "initiatives",
    "studies.ideas": "ideas",
    "feedback.study": "studies",
    "feedback.account": "accounts",
    "portal.users.accounts": "accounts",
    "portal.votes.idea": "ideas",
    "portal.votes.user": "portal.users",
}
