"""Documents by a model: every sentence with its source or marked as a proposal; otherwise the embedded engine's."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.documents.jobs import write_document
from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.intelligence.material import DocumentType, Draft, Material
from sightline.intelligence.model.usage import list_usage
from sightline.intelligence.tracing import keep_sourced
from sightline.language_model import model_tools
from sightline.platform.jobs.queue import HeldDatabase, HoldLost
from sightline.settings import Settings
from tests.documents.conftest import AT, Json, carry_out, document_of
from tests.documents.test_writer import HOSTILE, material
from tests.intelligence.fake_model import Answer, FakeModel, fake_model, says
from tests.world import World

TYPES = list(DocumentType)


def tools_of(fake: FakeModel, folder: Path, **more: Any) -> dict[type, Any]:
    given = {"model_url": fake.url, "model_name": "m", "data_dir": folder, **more}
    model = model_tools(Settings.read(given, environment={}, file=folder / "none"))
    return {EmbeddedEngine: embedded_engine(), **model}


async def write(acme: World, fake: FakeModel, folder: Path, type: str = "PRD", **more: Any) -> Json:
    receipt = (await acme.client.post(f"{AT}/documents/regenerate", json={"type": type})).json()
    await carry_out(acme, receipt, tools_of(fake, folder, **more))
    return await document_of(acme, receipt)


async def usage_of(acme: World) -> list[Any]:
    async with acme.database.snapshot() as tx:
        return await list_usage(tx, acme.workspace_id, None)


def ref_of(request: Json, title: str) -> int:
    """The number of a source, as the request shows it."""
    data = request["messages"][1]["content"]
    found = re.search(rf"^(\d+)\. \w+(?: [A-Z]+-\d+)?: {re.escape(title)}$", data, re.MULTILINE)
    assert found, data
    return int(found[1])


def parts(*sentences: Callable[[Json], Json] | Json, heading: str = "Summary") -> Callable[[Json], Answer]:
    def answer(request: Json) -> Answer:
        made = [one(request) if callable(one) else one for one in sentences]
        return says({"parts": [{"heading": heading, "sentences": made}]})

    return answer


def sentence(text: str, title: str | None, **more: Any) -> Callable[[Json], Json]:
    return lambda request: {"text": text, "sources": [ref_of(request, title)] if title else [], **more}


def judged(*verdicts: str) -> Answer:
    return says({"verdicts": [{"number": number, "verdict": one} for number, one in enumerate(verdicts)]})


CSV = sentence("Tables leave the product as CSV", "CSV export", quote="export TABLES as csv")
PROPOSED = sentence("Offer a preview before the export", None, is_proposal=True)


async def test_a_document_names_the_model_and_keeps_every_source(acme: World, tmp_path: Path) -> None:
    with fake_model(parts(CSV, PROPOSED), judged("follows", "follows")) as fake:
        document = await write(acme, fake, tmp_path)
    ref = next(source["ref"] for source in document["sources"] if source["title"] == "CSV export")
    assert document["writer"] == {"name": "model:m", "version": "1"}
    assert f"\n\nTables leave the product as CSV. “Export tables as CSV” [{ref}]\n" in document["content"]
    assert "\n- **Proposal:** Offer a preview before the export.\n" in document["content"]
    assert "Finance, every month." in document["content"], "a recorded answer stays"
    [usage] = await usage_of(acme)
    assert (usage.task, usage.model, usage.runs, usage.fallbacks) == ("documents.write", "model:m", 1, 0)
    assert (usage.requests, usage.input_tokens, usage.output_tokens, usage.cost) == (2, 200, 20, None)


DROPPED: list[tuple[str, Callable[[Json], Json]]] = [
    ("no source", sentence("Customers love it", None)),
    ("an unknown source", lambda _: {"text": "Customers love it", "sources": [99]}),
    ("a figure from nowhere", sentence("It saves 40 minutes", "CSV export")),
    ("a quote from nowhere", sentence("They said so", "CSV export", quote="We would pay for it")),
    ("a quote in the text", sentence("They said “we would pay for it”", "CSV export")),
    ("a proposal with a figure", sentence("Charge 5 euros", None, is_proposal=True)),
]


@pytest.mark.parametrize("wrong", [one for _, one in DROPPED], ids=[name for name, _ in DROPPED])
async def test_a_sentence_that_cannot_stand_is_dropped(
    acme: World, tmp_path: Path, wrong: Callable[[Json], Json]
) -> None:
    again = parts(wrong, CSV)
    with fake_model(again, again, again, judged("follows")) as fake:
        document = await write(acme, fake, tmp_path)
    assert len(fake.requests) == 4
    assert document["writer"]["name"] == "model:m"
    assert "Tables leave the product" in document["content"]
    text = wrong(fake.requests[0])["text"]
    assert text not in document["content"]
    assert text in fake.requests[1]["messages"][-1]["content"]


async def test_what_the_judge_does_not_confirm_is_dropped(acme: World, tmp_path: Path) -> None:
    against = sentence("Leave exports to support", None, is_proposal=True)
    unjudged = sentence("Everybody has it", "CSV export")
    with fake_model(parts(CSV, against, unjudged), judged("follows", "contradicts")) as fake:
        document = await write(acme, fake, tmp_path)
    assert "Tables leave the product" in document["content"]
    assert "Leave exports to support" not in document["content"]
    assert "Everybody has it" not in document["content"]
    assert "Finance, every month." in fake.requests[1]["messages"][1]["content"], "proposals are held against answers"


FAILING: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("refused", [Answer(status=401)], {}),
    ("no JSON", [Answer("I cannot.")], {}),
    ("no judge", [parts(CSV), Answer("I cannot.")], {}),
    ("nothing holds", [parts(CSV), judged("missing")], {}),
    ("over budget", [parts(CSV), judged("follows")], {"model_requests": 1}),
    ("too long", [parts(CSV), judged("follows")], {"model_tokens": 100}),
]


@pytest.mark.parametrize(("script", "budget"), [one[1:] for one in FAILING], ids=[name for name, *_ in FAILING])
async def test_the_embedded_engine_writes_what_a_model_cannot(
    acme: World, tmp_path: Path, script: list[Any], budget: dict[str, Any]
) -> None:
    with fake_model(*script) as fake:
        document = await write(acme, fake, tmp_path, **budget)
    assert document["writer"] == {"name": "embedded", "version": embedded_engine().version}
    assert "Tables leave the product" not in document["content"]
    [usage] = await usage_of(acme)
    assert (usage.runs, usage.fallbacks, usage.requests) == (1, 1, len(fake.requests))


async def test_a_workspace_keeps_the_embedded_engine_if_it_wants(acme: World, tmp_path: Path) -> None:
    await acme.add(workspace={"settings": {"engine": "embedded"}})
    with fake_model(parts(CSV)) as fake:
        document = await write(acme, fake, tmp_path)
    assert (document["writer"]["name"], fake.requests) == ("embedded", [])
    assert await usage_of(acme) == []


async def test_a_workspace_has_its_own_limit_for_a_day(acme: World, tmp_path: Path) -> None:
    await acme.add(workspace={"settings": {"modelTokensPerDay": 200}})
    with fake_model(parts(CSV), judged("follows")) as fake:
        assert (await write(acme, fake, tmp_path))["writer"]["name"] == "model:m"
        assert (await write(acme, fake, tmp_path))["writer"]["name"] == "embedded"
        assert len(fake.requests) == 2
        async with acme.stranger() as stranger:
            assert await usage_of(stranger) == []


async def test_what_a_job_took_is_kept_if_another_worker_has_it_by_then(acme: World, tmp_path: Path) -> None:
    lost = HeldDatabase(acme.database, 0, 0, frozen_after=timedelta(minutes=1))
    receipt = (await acme.client.post(f"{AT}/documents/regenerate", json={"type": "PRD"})).json()
    with fake_model(parts(CSV), judged("follows")) as fake, pytest.raises(HoldLost):
        await write_document(lost, tools_of(fake, tmp_path), acme.workspace_id, UUID(receipt["jobId"]))
    [usage] = await usage_of(acme)
    assert (usage.runs, usage.requests) == (1, len(fake.requests))


async def test_what_it_costs_is_kept_where_prices_are_set(acme: World, tmp_path: Path) -> None:
    prices = {"model_input_price": "0.5", "model_output_price": "2"}
    with fake_model(parts(CSV), judged("follows")) as fake:
        await write(acme, fake, tmp_path, **prices)
    [usage] = await usage_of(acme)
    assert usage.cost == pytest.approx((200 * 0.5 + 20 * 2) / 1_000_000)


@pytest.mark.parametrize("kind", TYPES)
@given(words=st.text(max_size=80) | st.text("ab “”()[]3,>-\n", max_size=80) | st.just(HOSTILE) | st.just("a ” (b”"))
def test_no_words_look_like_a_fault(kind: DocumentType, words: str) -> None:
    """Otherwise a model's document would be refused for what the material says."""
    written = embedded_engine().write_document(kind, material(words))
    assert keep_sourced(written, material(words)) == written
    listed = written.content.partition("\n## Sources\n")[2].strip()
    assert len(listed.splitlines()) == len(written.sources)


@pytest.mark.parametrize("kind", TYPES)
def test_the_embedded_engines_documents_pass_the_same_check(kind: DocumentType) -> None:
    draft = embedded_engine().write_document(kind, material())
    assert keep_sourced(draft, material()) == draft
    for broken in (
        draft.content.replace("## Sources", "Customers love it.\n\n## Sources"),
        draft.content.replace("> “Plain words.”", "> “Other words.”", 1),
        draft.content.replace("[1]", "[77]", 1),
    ):
        if broken != draft.content and "## Open points" not in broken.partition("Customers love it")[0]:
            assert keep_sourced(draft._replace(content=broken), material()).content != broken


FAULTY = [
    ("## Summary\n\nCustomers love it.", "\n- **Proposal:** Customers love it.\n"),
    ("## Summary\n\n- Customers love it [77].", "\n- **Proposal:** Customers love it.\n"),
    ("## Summary\n\nCustomers love it [1] [77].", "\nCustomers love it [1].\n"),
    ("## Summary\n\n> “Nobody said this.” [1]", ""),
    ("## Summary\n\n> “Nobody said” this.” [1]", ""),
    ("## Summary\n\n| Everybody | loves it |", ""),
]


@pytest.mark.parametrize(("added", "kept"), FAULTY, ids=range(len(FAULTY)))
def test_what_has_no_source_is_marked_or_dropped(added: str, kept: str) -> None:
    draft = embedded_engine().write_document(DocumentType.PRD, material())
    broken = draft._replace(content=draft.content.replace("## Summary", added, 1))
    mended = keep_sourced(broken, material())
    assert mended != broken
    assert keep_sourced(mended, material()) == mended
    assert kept in mended.content
    assert ("love" in mended.content) is ("love" in kept)


class Careless:
    """Writes one sentence that rests on nothing."""

    name, version = "careless", "1"

    def write_document(self, type: DocumentType, material: Material) -> Draft:
        draft = embedded_engine().write_document(type, material)
        return draft._replace(content=draft.content.replace("## Summary\n", "## Summary\n\nCustomers love it.\n", 1))


async def test_every_engine_is_checked_before_its_document_is_stored(acme: World) -> None:
    receipt = (await acme.client.post(f"{AT}/documents/regenerate", json={"type": "PRD"})).json()
    await carry_out(acme, receipt, {EmbeddedEngine: Careless()})
    assert "\n- **Proposal:** Customers love it.\n" in (await document_of(acme, receipt))["content"]
