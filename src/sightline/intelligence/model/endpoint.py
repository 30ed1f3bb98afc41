"""An OpenAI-compatible endpoint: requests with retries, and the form of answer that it can give.

The forms are tried in this order: a JSON schema, any JSON object, the schema in words. The first that the endpoint
takes is kept for the life of the process.
"""

import asyncio
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import Raw, Struct

from sightline.intelligence.model.answers import Unreadable, read_answer, schema_of
from sightline.intelligence.model.session import Budget, FormRefused, ModelFailed, Session
from sightline.platform.beside import Beside

if TYPE_CHECKING:
    import ssl

    import httpx2  # loaded by the first request, not by the start of a process

T = TypeVar("T")
Held = TypeVar("Held")

TRIES: Final = 4
REPAIRS: Final = 2
MOST_BYTES: Final = 4_000_000
FIRST_WAIT: Final = 0.5  # seconds
_FORMS: Final = ("json_schema", "json_object", "words")
_TEMPORARY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_REFUSED: Final = frozenset({400, 404, 415, 422, 501})
_ANSWERS = Beside("model-answers")


class Prompt(NamedTuple):
    """What the model shall do, and the material as data."""

    task: str
    data: str


class _Word(Struct):
    word: str


async def probe(endpoint: "Endpoint") -> str:
    """Asks for one word. Returns the form in which the endpoint answers. Raises ModelFailed."""
    prompt = Prompt("You are asked whether you work.", "Answer with the word `ready`.")
    await endpoint.ask(Session(Budget(requests=8, seconds=30)), prompt, _Word, lambda word: (word, ""))
    return endpoint.form


class _Failed(ModelFailed):
    """A try that may be repeated after `wait` seconds, or after the usual wait."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class _Usage(Struct):
    prompt_tokens: int
    completion_tokens: int


class _Message(Struct):
    content: str | None = None


class _Choice(Struct):
    message: _Message


class _Completion(Struct):
    choices: list[Raw]
    usage: Raw = Raw(b"null")


class Endpoint:
    """One model at one address."""

    def __init__(self, url: str, model: str, key: str | None = None) -> None:
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._model = model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._form = 0

    @property
    def form(self) -> str:
        """The form of answer that the endpoint took last."""
        return _FORMS[self._form]

    async def ask(
        self,
        session: Session,
        prompt: Prompt,
        type: type[T],
        read: Callable[[T], tuple[Held, str]],
        repairs: int = REPAIRS,
    ) -> Held:
        """Returns what holds of an answer of the type.

        `read` returns that and what is wrong, or nothing; it works in a thread. A wrong answer is sent back with the
        reason, `repairs` times. The last readable answer counts, right or wrong. Raises ModelFailed if there is none.
        """
        messages = [{"role": "system", "content": prompt.task}, {"role": "user", "content": prompt.data}]
        held: Held | None = None
        for _ in range(1 + repairs):
            try:
                content = await self._complete(session, messages, type)
            except ModelFailed:
                if held is not None:
                    return held
                raise
            try:
                held, wrong = await _ANSWERS.run(_read, content, type, read)
            except Unreadable as error:
                wrong = f"{error}\n{_in_words(schema_of(type))}"  # the endpoint may ignore the form
            if not wrong:
                break
            again = f"{wrong}\nAnswer again with the whole JSON object."
            messages += [{"role": "assistant", "content": content}, {"role": "user", "content": again}]
        if held is None:
            raise ModelFailed("The model gave no readable answer.")
        return held

    async def _complete(self, session: Session, messages: list[dict[str, str]], type: Any) -> str:
        """Returns the text of an answer in the first form that the endpoint takes."""
        schema = schema_of(type)
        refusal = FormRefused("No form was tried.")
        for place in range(self._form, len(_FORMS)):
            try:
                content = await self._retry(session, self._body(messages, _FORMS[place], schema))
            except FormRefused as error:
                refusal = error
            else:
                self._form = place
                return content
        raise refusal

    def _body(self, messages: list[dict[str, str]], form: str, schema: dict[str, Any]) -> dict[str, Any]:
        if form == "json_schema":
            wanted = {"name": "answer", "strict": True, "schema": schema}
            return {"model": self._model, "messages": messages} | {
                "response_format": {"type": form, "json_schema": wanted}
            }
        first, *others = messages
        system = {**first, "content": f"{first['content']}\n\n{_in_words(schema)}"}
        body: dict[str, Any] = {"model": self._model, "messages": [system, *others]}
        return body | ({"response_format": {"type": form}} if form == "json_object" else {})

    async def _retry(self, session: Session, body: dict[str, Any]) -> str:
        """Tries four times while the failure may be temporary and the budget lasts. Raises ModelFailed."""
        import httpx2

        content = msgspec.json.encode(body)
        failure = _Failed("It was not tried.")
        for tries in range(1, TRIES + 1):
            session.begin_request(len(content))
            try:
                async with asyncio.timeout(min(session.seconds_left, max(session.budget.seconds / 2, 1))):
                    return await self._post(session, content)
            except _Failed as error:
                failure = error
            except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL):
                failure = _Failed("The endpoint cannot be reached or does not answer in time.")
            wait = FIRST_WAIT * 2 ** (tries - 1) if failure.wait is None else failure.wait
            if tries == TRIES or wait >= session.seconds_left:
                break
            await asyncio.sleep(wait)
        raise failure

    async def _post(self, session: Session, content: bytes) -> str:
        """Raises _Failed, ModelFailed, FormRefused, and errors of httpx2."""
        import httpx2

        headers = {"Content-Type": "application/json", **self._headers}
        async with (
            httpx2.AsyncClient(verify=_tls(), timeout=None) as client,
            client.stream("POST", self._url, content=content, headers=headers) as response,
        ):
            _ensure_answered(response)
            received = bytearray()
            async for part in response.aiter_bytes():
                received += part
                if len(received) > MOST_BYTES:
                    raise ModelFailed("The answer is too long.")
        return await _text_of(session, len(content), bytes(received))


@cache
def _tls() -> "ssl.SSLContext":
    """Read once: the system's certificates take 20 ms, in which nothing else runs."""
    import httpx2

    return httpx2.create_ssl_context()


def _read(content: str, type: type[T], read: Callable[[T], tuple[Held, str]]) -> tuple[Held, str]:
    return read(read_answer(content, type))


def _in_words(schema: dict[str, Any]) -> str:
    return f"Answer with one JSON object of this schema: {msgspec.json.encode(schema).decode()}"


def _ensure_answered(response: "httpx2.Response") -> None:
    status = response.status_code
    if status == 200:
        return
    if status in _TEMPORARY:
        raise _Failed(f"The endpoint answers with status {status}.", _wait_of(response.headers))
    if status in _REFUSED:
        raise FormRefused(f"The endpoint refuses the request with status {status}.")
    raise ModelFailed(f"The endpoint answers with status {status}.")


def _wait_of(headers: Mapping[str, str]) -> float | None:
    """The seconds that `Retry-After` asks for, as a number or as a date."""
    text = headers.get("Retry-After", "").strip()
    try:
        if text.replace(".", "", 1).isdecimal():
            return float(text)
        until, now = parsedate_to_datetime(text), parsedate_to_datetime(headers["Date"])
        return max(0.0, (until - now).total_seconds())
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


async def _text_of(session: Session, sent: int, received: bytes) -> str:
    try:
        content, tokens = await _ANSWERS.run_by_size(_read_completion, received)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        session.add_tokens(None, sent, len(received))
        raise _Failed("The endpoint does not answer as an OpenAI-compatible one.") from None
    session.add_tokens(tokens, sent, len(received))
    return content


def _read_completion(received: bytes) -> tuple[str, tuple[int, int] | None]:
    """Returns the text of the first choice, and the tokens that it took if they are reported."""
    completion = msgspec.json.decode(received, type=_Completion)
    first = msgspec.json.decode(completion.choices[0], type=_Choice) if completion.choices else None
    return (first and first.message.content) or "", _tokens(completion.usage)


def _tokens(usage: Raw) -> tuple[int, int] | None:
    try:
        taken = msgspec.json.decode(usage, type=_Usage)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    is_sound = 0 <= taken.prompt_tokens < 10**9 and 0 <= taken.completion_tokens < 10**9
    return (taken.prompt_tokens, taken.completion_tokens) if is_sound else None
