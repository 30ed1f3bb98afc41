"""The servers beside ours."""

import pytest

from sightline.bench.inprocess import InProcess
from sightline.bench.servers import configuration, constant, read_answer, write_answer
from sightline.bench.wire import Answer, Request
from sightline.cli import api_process
from sightline.settings import Settings

ANSWER = Answer(201, [(b"content-type", b"application/json"), (b"etag", b'"1"')], b'{"name": "\xc3\xa9"}')
OF_THE_APPLICATION = {"app", "factory", "loaded_app", "lifespan_class"}


def test_uvicorn_is_run_as_serve_runs_it() -> None:
    """Change both together: sightline/bench/servers.py and sightline/cli/api_process.py."""
    here, there = (
        vars(one) for one in (configuration(constant(ANSWER)), api_process.configuration(Settings.read({}, {})))
    )
    assert {name: here[name] for name in here.keys() - OF_THE_APPLICATION} == {
        name: there[name] for name in there.keys() - OF_THE_APPLICATION
    }


@pytest.mark.parametrize(
    "request_", [Request("GET", "/ideas"), Request("POST", "/ideas", b"{}")], ids=["read", "write"]
)
async def test_the_constant_server_always_answers_the_same(request_: Request) -> None:
    async with InProcess(constant(ANSWER)) as app:
        assert [await app.ask(request_, "key") for _ in range(2)] == [ANSWER] * 2


def test_an_answer_travels_as_json_and_back() -> None:
    assert read_answer(write_answer(ANSWER)) == ANSWER
