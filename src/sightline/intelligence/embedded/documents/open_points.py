"""The open points of documents by name: a document lists them if there is no recorded answer."""

from typing import Final

OPEN_POINTS: Final = {
    "Team": "Which team does the work?",
    "Date": "When does it have to be finished?",
    "Description": "What is the initiative about? It has no description.",
    "Problem": "Which problem does it solve, and for whom? No insight and no evidence for it is linked.",
    "Review": "Do these insights hold? Nobody has accepted or rejected them.",
    "Objections": "What speaks against it? No evidence that qualifies or contradicts is recorded.",
    "Customers": "Who is affected? No account is linked to its ideas, insights or signals.",
    "Goal": "Which change for customers shall it bring about? No purpose is recorded.",
    "Boundaries": "What does it deliberately leave out?",
    "Requirements": "What shall be built? No idea is attached.",
    "Acceptance": "How does a tester see that it is done?",
    "Measure and target": "Which figure shows success, from which value to which, and by when?",
    "Target": "From which value to which, and by when? The recorded answer names no figure.",
    "Rules and limits": "Which legal, contractual or technical limits hold?",
    "Rollout": "Who gets it first, how do they hear of it, and how is it undone?",
    "Parts": "Which parts of the product change? No feature is linked to the initiative or its ideas.",
    "Load": "How many users, records and requests does it have to carry, and how fast?",
    "Data": "Which data is stored, changed or shown, who may see it, and when is it deleted?",
    "Components": "Which components change, and which are new?",
    "Interfaces": "Which interfaces change, and what happens to those who use them today?",
    "Failures": "What happens when a part is down, slow, or called twice?",
    "Alternatives": "What else was considered, and why was it not taken?",
    "Checks": "How are load, failures and the rollback tried before customers get it?",
}
