"""Suggested options: made from an idea's text, never over what a person or the API chose.

Decision: docs/decisions/0023-suggested-classifications.md.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from uuid import UUID

from sightline.catalog.taxonomy import Group, Taxonomy, find_taxonomy
from sightline.ideas.classifications.queries import StoredValue, find_values, remove_values, save_values
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.engine import ListGroup, OptionText, SuggestedOption
from sightline.platform.beside import run_beside
from sightline.platform.db import Tx

Suggestions = dict[UUID, list[UUID]]  # the options by group
_SHORT = 8_000  # characters
_SMALL = 40_000  # bytes of a taxonomy: about 400 options, or 150 with the longest labels


def takes_long(taxonomy: Taxonomy, text: str) -> bool:
    """Whether to look for suggestions in a thread: looking for each option in each sentence takes up to .5 s."""
    return len(text) > _SHORT or taxonomy.bytes > _SMALL


def suggest(engine: EmbeddedEngine, taxonomy: Taxonomy, text: str, assigned: Collection[UUID] = ()) -> Suggestions:
    """Returns the options of list groups that the text supports by an exact quote, but none for `assigned` groups."""
    groups = list_groups(taxonomy, assigned)
    return supported(engine.suggest_options(text, as_input(groups)), groups, text) if groups else {}


def list_groups(taxonomy: Taxonomy, assigned: Collection[UUID]) -> list[Group]:
    """Returns the list groups without the `assigned` ones."""
    return [group for group in taxonomy.groups if group.kind == "list" and group.id not in assigned]


def as_input(groups: Iterable[Group]) -> list[ListGroup]:
    """Returns the groups as input of an engine."""
    return [
        ListGroup(group.id, group.takes_one, [OptionText(each.id, each.label) for each in group.options], group.label)
        for group in groups
    ]


def supported(suggested: Iterable[SuggestedOption], groups: Sequence[Group], text: str) -> Suggestions:
    """Returns the options that an engine suggests by an exact quote, of each group no more than it takes."""
    found: Suggestions = {}
    for one in suggested:
        if one.source_quote in text:
            found.setdefault(one.group_id, []).append(one.option_id)
    return {group.id: found[group.id] for group in groups if group.id in found and _fits(group, found[group.id])}


def _fits(group: Group, option_ids: list[UUID]) -> bool:
    """Whether an engine suggested options of the group, and no more than it takes."""
    return group.places.keys() >= set(option_ids) and group.refuse_more(option_ids) is None


def suggested_links(found: Suggestions) -> dict[str, list[UUID]]:
    """Returns the values for the statement that adds an idea."""
    pairs = [(group_id, id) for group_id, ids in found.items() for id in ids]
    return {"suggested_group_ids": [group_id for group_id, _ in pairs], "suggested_ids": [id for _, id in pairs]}


async def renew_suggestions(tx: Tx, engine: EmbeddedEngine, workspace_id: UUID, idea_id: UUID, text: str) -> int:
    """Replaces the unreviewed suggestions of an idea by those for its text. Returns how many values changed.

    The caller holds the idea's lock, and has stored what the request assigns.
    """

    async def find(taxonomy: Taxonomy, chosen: set[UUID]) -> Suggestions:
        if takes_long(taxonomy, text):
            return await run_beside(suggest, engine, taxonomy, text, chosen)
        return suggest(engine, taxonomy, text, chosen)

    return await replace_suggestions(tx, workspace_id, idea_id, find)


async def replace_suggestions(
    tx: Tx,
    workspace_id: UUID,
    idea_id: UUID,
    find: Callable[[Taxonomy, set[UUID]], Awaitable[Suggestions]],
    groups: Collection[UUID] | None = None,
) -> int:
    """Replaces the unreviewed suggestions by what `find` returns for the groups without a chosen value.

    With `groups`, suggestions of other groups stay. Returns how many values changed. The caller holds the idea's lock.
    """
    taxonomy = await find_taxonomy(tx, workspace_id)
    if not any(group.kind == "list" for group in taxonomy.groups):
        return 0
    stored = await find_values(tx, workspace_id, [idea_id])
    chosen = chosen_groups(stored.values())
    before = {
        value.group_id: value.option_ids
        for value in stored.values()
        if _is_replaceable(value) and (groups is None or value.group_id in groups)
    }
    found = await find(taxonomy, chosen)
    changed = {group: options for group, options in found.items() if before.get(group) != options}
    gone = [group for group in before if group not in found]
    if changed:
        await save_values(tx, workspace_id, [_value(tx, idea_id, *each) for each in changed.items()])
    if gone:
        await remove_values(tx, workspace_id, idea_id, gone)
    return len(changed) + len(gone)


def chosen_groups(stored: Iterable[StoredValue]) -> set[UUID]:
    """Returns the groups whose values a person or the API chose or reviewed."""
    return {value.group_id for value in stored if not _is_replaceable(value)}


def _is_replaceable(value: StoredValue) -> bool:
    """Whether other suggestions may replace the value. A text stays: only a workspace file calls one a suggestion."""
    return value.is_unreviewed_suggestion and value.text_value is None


def _value(tx: Tx, idea_id: UUID, group_id: UUID, option_ids: list[UUID]) -> StoredValue:
    return StoredValue(idea_id, group_id, option_ids, None, "unreviewed", "suggested", tx.now)
