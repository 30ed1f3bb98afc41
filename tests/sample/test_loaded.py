"""The sample workspace as the API shows it."""

from io import BytesIO
from uuid import uuid4

import msgspec

from sightline.sample.workspace import load
from sightline.workspace_file import apply_file
from tests.workspace_file.files import export
from tests.world import World

MATCHED = ("key", "name", "description", "product", "features", "featureOwnership", "featureMatching", "createdAt")


async def test_the_ideas_show_which_features_they_match_and_by_which_words(world: World) -> None:
    sample = load()
    ideas = [{name: idea[name] for name in MATCHED} for idea in sample["ideas"]]
    await world.add(products=sample["products"], ideas=ideas)
    features = await world.ids("features")
    shown = [
        idea
        for offset in (0, 40)
        for idea in (await world.client.get("/ideas", params={"limit": 40, "offset": offset})).json()
    ]
    assert len(shown) == len(ideas)
    assert all(idea["featureMatching"]["productId"] == idea["productId"] for idea in shown)
    quoted = [(match, idea) for idea in shown for match in idea["featureMatching"]["matches"]]
    assert len(quoted) > 40
    for match, idea in quoted:
        assert match["featureId"] in features.values()
        assert match["sourceQuote"] in idea["description"]


async def test_a_matching_in_a_file_names_features_by_key_or_id(world: World) -> None:
    await world.add(products=[{"key": "app", "name": "App", "features": [{"key": "csv", "name": "CSV"}]}])
    product, feature = (await world.ids("products"))["app"], (await world.ids("features"))["csv"]
    gone = str(uuid4())

    def matching(product: str, *features: str) -> object:
        matches = [{"featureId": id, "reasoning": "R", "sourceQuote": "a CSV", "confidence": 0.9} for id in features]
        matcher = {"name": "embedded", "version": "1"}
        return {"status": "matched", "productId": product, "matches": matches, "suggestions": [], "matcher": matcher}

    idea = {"key": "i", "name": "I", "description": "I want a CSV.", "product": "app", "features": ["csv"]}
    await world.add(ideas=[idea | {"featureMatching": matching("app", "csv", gone)}])
    again = await world.add(ideas=[idea | {"featureMatching": matching(product, feature, gone)}])
    assert again.counts["ideas"].unchanged == 1
    [shown] = (await world.client.get("/ideas")).json()
    assert shown["featureMatching"] == matching(product, feature, gone)
    before = await export(world.database, world.slug)
    applied = await apply_file(world.database, BytesIO(before), actor_id="tests")
    assert applied.counts["ideas"].unchanged == 1
    assert msgspec.json.decode(before)["ideas"][0]["featureMatching"] == matching(product, feature, gone)
