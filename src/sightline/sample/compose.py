"""The sample workspace, and larger ones made from it for demonstrations and measurements."""

from copy import deepcopy
from typing import Any

from sightline.sample.composed_evidence import Evidence, compose_insights, compose_signals
from sightline.sample.composed_ideas import compose_ideas, compose_ratings
from sightline.sample.dice import Dice
from sightline.sample.matching import match_ideas
from sightline.sample.phrases import phrases, read_yaml


def load() -> dict[str, Any]:
    """Returns the hand-written workspace file. Times are ISO strings, ideas are matched with features."""
    workspace = read_yaml("workspace.yaml") | read_yaml("research.yaml")
    return workspace | {"ideas": match_ideas(workspace["products"], workspace["ideas"])}


def compose(  # noqa: PLR0913 - the totals of four lists
    workspace: dict[str, Any],
    *,
    seed: int = 7,
    ideas: int = 120,
    insights: int = 150,
    signals: int = 300,
    ratings: int = 400,
    matched: bool = True,
) -> dict[str, Any]:
    """Returns a new workspace: the records of the given one, and composed ones up to the totals.

    The same seed gives the same records everywhere. The given workspace must have features of the sample's
    products (else ValueError), and is not changed. Its records beyond a total stay. Ideas are `matched` with
    features, which takes about a millisecond each.
    """
    made = deepcopy(workspace)
    dice = Dice(seed)
    evidence = _evidence(made)
    totals = {"signals": signals, "insights": insights, "ideas": ideas, "feedback": ratings}
    missing = {name: max(0, total - len(made.get(name, []))) for name, total in totals.items()}
    composed = {
        "signals": compose_signals(dice, evidence, missing["signals"]),
        "insights": compose_insights(dice, evidence, missing["insights"]),
        "ideas": compose_ideas(dice, made, evidence, missing["ideas"]),
        "feedback": compose_ratings(dice, made, missing["feedback"]),
    }
    if matched:
        composed["ideas"] = match_ideas(made["products"], composed["ideas"])
    return made | {name: [*made.get(name, []), *records] for name, records in composed.items()}


def _evidence(workspace: dict[str, Any]) -> Evidence:
    product_of = {
        feature["key"]: product["key"]
        for product in workspace.get("products", [])
        for feature in product.get("features", [])
    }
    troubles = tuple(trouble for trouble in phrases().troubles if trouble.feature in product_of)
    if not troubles:
        raise ValueError("compose needs a workspace with features of the sample workspace's products")
    everyone = workspace.get("accounts", [])
    names = {account["key"]: account["name"] for account in everyone}
    return Evidence(troubles, product_of, _customers(workspace, everyone), names)


def _customers(workspace: dict[str, Any], everyone: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Returns the accounts that the ideas of each product name, or all accounts if they name none."""
    named: dict[str, set[str]] = {product["key"]: set() for product in workspace["products"]}
    for idea in workspace.get("ideas", []):
        named.get(idea["product"], set()).update(idea.get("accounts", []))
    return {
        product: [account for account in everyone if account["key"] in keys] or everyone
        for product, keys in named.items()
    }
