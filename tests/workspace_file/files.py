"""Workspace files for tests: a small one with everything in it, and what is done with files."""

from copy import deepcopy
from io import BytesIO
from itertools import count
from typing import Any

import msgspec

from sightline.platform.db import Database
from sightline.workspace_file import Applied, FileRefused, apply_file, export_workspace

_numbers = count(1)
RUN = "5b1c1f9e-93a4-4a52-9d5a-6f0a3b1c2d10"
SECTION = "5b1c1f9e-93a4-4a52-9d5a-6f0a3b1c2d11"
SOURCE = "5b1c1f9e-93a4-4a52-9d5a-6f0a3b1c2d12"
FINDING = "5b1c1f9e-93a4-4a52-9d5a-6f0a3b1c2d13"
RECORD = "5b1c1f9e-93a4-4a52-9d5a-6f0a3b1c2d14"
THEN = "2026-03-01T09:00:00.000Z"
LATER = "2026-04-01T10:30:00.500Z"
STAMPS = {"createdAt": THEN, "updatedAt": LATER}

CATALOG: dict[str, Any] = {
    "members": [
        {"key": "ada", "email": "ada@acme.test", "name": "Ada Park", "role": "owner", "active": True, **STAMPS},
        {"key": "bo", "email": "bo@acme.test", "name": "Bo Lee", "role": "viewer", "active": False, **STAMPS},
    ],
    "products": [
        {
            "key": "app",
            "name": "Acme App",
            "description": "For everybody",
            "features": [
                {"key": "csv", "name": "CSV", "description": "As a file.", "parent": "export", **STAMPS},
                {"key": "export", "name": "Export", "description": "Out of it.", "parent": None, **STAMPS},
            ],
            **STAMPS,
        },
        {"key": "web", "name": "Acme Web", "description": "", "features": [{"key": "csv", "name": "CSV again"}]},
    ],
    "teams": [{"key": "core", "name": "Core", "members": ["bo", "ada"], **STAMPS}],
    "ideaStatuses": [
        {"label": "New", "promotion": False},
        {"label": "Promoted", "promotion": True},
        {"label": "Done", "promotion": False},
    ],
    "taxonomy": {
        "groups": [
            {
                "key": "theme",
                "label": "Theme",
                "description": "What for",
                "kind": "list",
                "selectionMode": "multi",
                "required": True,
                "options": [{"key": "speed", "label": "Speed"}, {"key": "money", "label": "Money"}],
            },
            {"key": "why", "label": "Why now", "kind": "text"},
        ]
    },
    "accounts": [
        {
            "key": "globex",
            "externalId": "crm-1",
            "name": "Globex",
            "domain": "globex.test",
            "contacts": [{"email": "Cy@globex.test", "name": "Cy Fox"}, {"email": "di@globex.test", "name": "Di"}],
            **STAMPS,
        },
        {"key": "initech", "name": "Initech"},
    ],
    "opportunities": [{"key": "churn", "name": "People leave", "description": "Too early.", **STAMPS}],
    "integrations": [{"key": "jira", "kind": "jira", "name": "Jira", "managesStatus": True, **STAMPS}],
    "sprints": [{"key": "s1", "name": "Sprint 1", "state": "active", **STAMPS}],
}

EVIDENCE: dict[str, Any] = {
    "signals": [
        {
            "key": "call",
            "name": "Call with Globex",
            "signalType": "transcript",
            "context": "discovery",
            "processorType": "conversation",
            "providerType": "zoom",
            "evidenceKind": "conversation",
            "analysisProfile": "customer_evidence",
            "status": "processed",
            "sourceKey": "zoom",
            "externalId": "zoom-991",
            "integration": "jira",
            "origin": "research:1:2",
            "sourceLabel": "Zoom",
            "source": {"type": "zoom", "external_data": {"deep": [1, 2.5, True, None, {"a": "b"}]}},
            "sourceLinks": [{"name": "Recording", "url": "https://zoom.test/1", "type": "recording", "primary": True}],
            "data": {"language": "en"},
            "transcript": {
                "turns": [{"speaker": "Cy", "text": "It is slow."}, {"speaker": "Ada", "text": "How slow?"}],
                "durationSeconds": 61.5,
            },
            "import": {"batch": 7},
            "failure": None,
            "rawData": {"provider": {"id": 12345678901, "score": 0.25}, "lines": ["a", "b"]},
            "account": "initech",
            "accounts": ["globex"],
            "initiatives": [{"initiative": "faster", "accepted": True}, {"initiative": "other", "accepted": False}],
            "studies": ["talks"],
            **STAMPS,
        },
        {"key": "ticket", "name": "A ticket", "status": "failed", "failure": "No text", "rawData": {"transcript": 1}},
    ],
    "insights": [
        {
            "key": "slow",
            "externalId": "in-1",
            "title": "It is slow",
            "description": "Very.",
            "category": "problem",
            "extracts": [{"text": "It is slow.", "signal": "call"}, {"text": "So slow", "signal": None}],
            "reviewState": "merged",
            "mergedInto": "slower",
            "origin": "engine",
            "accounts": ["globex", "initech"],
            "signals": ["ticket", "call"],
            **STAMPS,
        },
        {"key": "slower", "title": "It is slower"},
    ],
}

PLANS: dict[str, Any] = {
    "ideas": [
        {
            "key": "fast",
            "name": "Make it fast",
            "description": "Faster than it is.\nMuch.",
            "status": "Promoted",
            "product": "app",
            "features": ["export", "csv"],
            "initiative": "faster",
            "integration": "jira",
            "sprint": "s1",
            "sourceKey": "crm",
            "externalId": "77",
            "createdSource": "app",
            "provenance": {"method": "manual", "by": ["ada"]},
            "featureOwnership": "manual",
            "featureMatching": {"status": "manual", "matches": []},
            "opportunities": ["churn"],
            "insights": [{"insight": "slower", "validated": True}, {"insight": "slow", "validated": False}],
            "accounts": ["initech", "globex"],
            "portalVisible": True,
            "classifications": [
                {
                    "groupKey": "theme",
                    "optionValues": ["money", "Speed"],
                    "reviewState": "accepted",
                    "origin": "suggested",
                    "updatedAt": LATER,
                },
                {"groupKey": "why", "textValue": "Because.", "reviewState": "corrected", "origin": "manual"},
            ],
            "questions": [
                {
                    "key": "q1",
                    "question": "How fast?",
                    "placeholder": "Very",
                    "reasoning": "To know",
                    "status": "answered",
                    "answer": "Very fast",
                    "origin": "engine",
                    **STAMPS,
                },
                {"key": "q2", "question": "Why?"},
            ],
            "comments": [
                {"key": "c1", "author": "ada", "portalUser": None, "body": "Yes!", "visibility": "internal", **STAMPS},
                {"key": "c2", "portalUser": "oda", "body": "Please", "visibility": "portal"},
            ],
            "evidence": [
                {
                    "key": "e1",
                    "title": "Eleven seconds",
                    "description": "Counted",
                    "category": "observation",
                    "extracts": [{"text": "It is slow.", "signal": "call"}],
                    "signal": "call",
                    "role": "qualifies",
                    "origin": "study",
                    "resolvedAt": THEN,
                    "resolution": "Shipped",
                    "resolvedBy": "ada",
                    "dismissedAt": LATER,
                    **STAMPS,
                }
            ],
            **STAMPS,
        },
        {"key": "plain", "name": "Plain", "description": "Only that", "number": 41},
        {"key": "next", "name": "Next", "description": "After the one with a number"},
    ],
    "initiatives": [
        {
            "key": "faster",
            "name": "Faster",
            "description": "All of it",
            "status": "IN_PROGRESS",
            "priority": "URGENT",
            "product": "app",
            "features": ["csv"],
            "teams": ["core"],
            "startDate": "2026-02-01",
            "finishDate": "2026-02-01",
            "requestHash": "00ff10",
            "questions": [
                {"key": "m", "question": "Which figure?", "answer": "Seconds", "placeholder": "?", **STAMPS},
                {"key": "n", "question": "When?"},
            ],
            "documents": [
                {
                    "key": "prd",
                    "type": "PRD",
                    "version": 3,
                    "content": "# PRD\n",
                    "sources": [{"kind": "idea"}],
                    "writer": {"engine": "embedded"},
                    "earlier": [
                        {
                            "version": 1,
                            "content": "# Old",
                            "sources": [1],
                            "writer": {"engine": "x"},
                            "writtenAt": THEN,
                        }
                    ],
                    **STAMPS,
                }
            ],
            **STAMPS,
        },
        {"key": "other", "name": "Other", "teams": ["core"]},
    ],
    "studies": [
        {
            "key": "talks",
            "name": "Talks",
            "status": "completed",
            "type": "survey",
            "phase": "validation",
            "appPath": "/studies/talks",
            "initiatives": ["other", "faster"],
            "ideas": ["plain", "fast"],
            **STAMPS,
        }
    ],
    "feedback": [
        {
            "key": "f1",
            "externalId": "r-1",
            "study": "talks",
            "rating": 8.5,
            "metric": "satisfaction",
            "subject": {"type": "idea", "id": "fast"},
            "comment": "Good",
            "submittedAt": THEN,
            "source": "live_interview",
            "account": "globex",
            **STAMPS,
        },
        {
            "key": "f2",
            "study": "talks",
            "rating": 3,
            "metric": "ease",
            "subject": {"type": "prototype", "id": RUN},
            "submittedAt": LATER,
        },
    ],
}

OUTSIDE: dict[str, Any] = {
    "portal": {
        "alias": "acme",
        "host": "ideas.acme.test",
        "name": "Acme ideas",
        "intro": "Hello",
        "accentColor": "#0b6e4f",
        "language": "de",
        "facets": ["theme"],
        "commentsEnabled": False,
        "requestsVisible": True,
        "remoteLoginUrl": "https://acme.test/login?x=1",
        "remoteLogoutUrl": "http://127.0.0.1:9/logout",
        "users": [
            {
                "key": "oda",
                "email": "oda@globex.test",
                "subject": "usr-1",
                "firstName": "Oda",
                "lastName": "Brekkum",
                "lastSeenAt": LATER,
                "accounts": ["initech", "globex"],
                **STAMPS,
            }
        ],
        "votes": [{"idea": "fast", "user": "oda", "createdAt": THEN}, {"idea": "plain", "user": "oda"}],
        "requests": [{"idea": "plain", "user": "oda", "createdAt": THEN}],
        **STAMPS,
    },
    "research": [
        {
            "key": "rivals",
            "name": "Rivals",
            "question": "What do they build?",
            "state": "paused",
            "rowVersion": 4,
            "revision": 2,
            "definition": {"sections": [{"id": SECTION, "topic": "bicycles"}]},
            "runPolicy": "weekly",
            "timezone": "Europe/Berlin",
            "nextRunAt": LATER,
            "createdBy": "ada",
            "runs": [
                {
                    "id": RUN,
                    "operationId": SOURCE,
                    "requestId": FINDING,
                    "requestHash": "abcd",
                    "trigger": "schedule",
                    "slot": THEN,
                    "status": "completed",
                    "revision": 2,
                    "definition": {"a": 1},
                    "fromDateTime": THEN,
                    "toDateTime": LATER,
                    "nativeReadCount": 5,
                    "reviewThemes": [{"label": "x"}],
                    "scores": [{"label": "y"}],
                    "additionStatus": "completed",
                    "additionProduct": "app",
                    "additionSignals": ["call"],
                    "additionFailure": "once",
                    "failure": "none",
                    "createdAt": THEN,
                    "startedAt": THEN,
                    "finishedAt": LATER,
                    "sections": [
                        {
                            "id": SECTION,
                            "name": "Rivals",
                            "type": "market",
                            "status": "failed",
                            "attempts": 2,
                            "answer": {"summary": "s"},
                            "failure": "slow",
                            "sealedAt": LATER,
                            "findings": [
                                {
                                    "id": FINDING,
                                    "title": "T",
                                    "url": "https://x.test",
                                    "publisher": "P",
                                    "publishedAt": THEN,
                                    "retrievedAt": LATER,
                                    "relevance": {"score": 0.5},
                                    "observations": [{"text": "t", "quote": "q"}],
                                    "provenance": {"provider": "library"},
                                    "sourceId": SOURCE,
                                }
                            ],
                        }
                    ],
                    "sources": [
                        {
                            "id": SOURCE,
                            "url": "https://x.test",
                            "contentHash": "h",
                            "content": "c",
                            "retrievedAt": LATER,
                        }
                    ],
                    "records": [
                        {
                            "id": RECORD,
                            "sectionId": SECTION,
                            "connector": "mobile_store",
                            "externalId": "1",
                            "label": "App",
                            "rating": 4,
                            "title": "Nice",
                            "body": "Very",
                            "version": "1.2",
                            "storefront": "de",
                            "submittedAt": THEN,
                            "url": "https://s.test",
                        }
                    ],
                }
            ],
            **STAMPS,
        }
    ],
}


def new_slug() -> str:
    return f"acme-{next(_numbers)}"


def small(slug: str | None = None, **lists: Any) -> dict[str, Any]:
    """A workspace with these lists."""
    return {"workspace": {"slug": slug or new_slug(), "name": "Acme"}, **deepcopy(lists)}


def whole(slug: str | None = None) -> dict[str, Any]:
    """A workspace in which every field of every list says something."""
    slug = slug or new_slug()
    workspace = {
        "slug": slug,
        "name": "Acme",
        "plan": {
            "initiativeLimit": 500,
            "activeInitiativeLimit": 100,
            "trialEndsAt": LATER,
            "aiCredits": 10000,
            "aiCreditsUsed": 12,
            "researchPolicies": ["on_demand", "weekly"],
            "managedSchedule": True,
        },
        "settings": {"engine": "embedded"},
        **STAMPS,
    }
    file = deepcopy({"workspace": workspace, **CATALOG, **EVIDENCE, **PLANS, **OUTSIDE})
    file["portal"] |= {"alias": slug, "host": f"{slug}.test"}
    return file


async def apply(database: Database, file: Any) -> Applied:
    data = file if isinstance(file, bytes) else msgspec.json.encode(file)
    return await apply_file(database, BytesIO(data), actor_id="tests")


async def refusal(database: Database, file: Any) -> dict[str, str]:
    """The faults for which a file is refused, by their paths."""
    try:
        await apply(database, file)
    except FileRefused as refused:
        return {fault.path: fault.message for fault in refused.faults}
    raise AssertionError("The file was not refused.")


async def export(database: Database, slug: str) -> bytes:
    parts: list[bytes] = []
    await export_workspace(database, slug, parts.append)
    return b"".join(parts)


async def exported(database: Database, slug: str) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(await export(database, slug))
    return found


def by_key(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {record["key"]: record for record in records}
