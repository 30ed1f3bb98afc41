"""A lab whose app store is on this machine, and how its runs and plans are read."""

from typing import Any

from sightline.sources.app_store.store import AppStore
from tests.research.lab import Json, Lab
from tests.sources.storefront import Storefront

HARVESTLY, SPROUT = "101", "202"


class Shop:
    """The lab and its store."""

    def __init__(self, lab: Lab, front: Storefront) -> None:
        front.clear()
        self.lab, self.front = lab, front
        lab.store = AppStore(front.url, pause=0.0)

    async def prepare(self, question: str, **fields: Any) -> Json:
        answer = await self.lab.run("prepare", question=question, **fields)
        assert answer.status_code == 200, answer.text
        prepared: Json = answer.json()
        return prepared

    async def again(self, run: Json) -> Json:
        """Another run of the same plan, searched."""
        brief = await self.lab.brief(run["briefId"])
        plan = brief["configuration"]["draft"]["definition"]
        new = {**self.lab.new(), "definition": plan, "briefId": brief["id"], "expectedRowVersion": brief["rowVersion"]}
        answer = await self.lab.run("start", **new)
        assert answer.status_code == 200, answer.text
        await self.lab.search(answer.json()["run"])
        return await self.lab.progress(run["briefId"])

    async def view(self, run: Json, view: str = "run", **query: Any) -> Json:
        return await self.lab.view(run["briefId"], view, runId=run["id"], **query)

    async def score(self, run: Json) -> Json:
        """The only score of a run."""
        [score] = (await self.view(run))["scores"]
        found: Json = score
        return found

    async def summary(self, run: Json) -> str:
        summary: str = (await self.lab.findings(run))["answer"]["summary"]
        return summary


def read(id: str = HARVESTLY, label: str = "Harvestly", *sections: str) -> Json:
    """A read of a plan."""
    chosen = {"sectionIds": list(sections)} if sections else {}
    return {"connector": "mobile_store", "externalId": id, "label": label, **chosen}
