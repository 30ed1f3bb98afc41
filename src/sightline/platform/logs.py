"""Logs: one line per event on standard error, as text or as JSON, ours and those of the libraries alike.

What is logged never holds a key, a body, a token or a query string: whoever logs leaves them out, and the values
that PostgreSQL puts into the details of its errors are left out here.
"""

import logging
import os
import sys
from collections.abc import Callable, MutableMapping
from datetime import UTC, datetime
from functools import lru_cache
from json import dumps
from time import time_ns
from traceback import format_exception
from typing import Any

import msgspec
import structlog

Event = MutableMapping[str, Any]

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_ENCODER = msgspec.json.Encoder(enc_hook=str)
_COLOURS = {"debug": "\033[2m", "info": "\033[32m", "warning": "\033[33m", "error": "\033[31m"}
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/+@")


def configure(level: str, format: str) -> None:
    """From now on everything is logged from this level on; `format` is `text` or `json`."""
    line = _json_line if format == "json" else _text_line(is_coloured=os.isatty(2))
    structlog.configure(
        processors=[_with_time, _with_traceback, line],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_: _Lines(),
        cache_logger_on_first_use=True,
    )
    # Below a warning, clients of other services log addresses with keys in them.
    logging.basicConfig(level=max(LEVELS[level], logging.WARNING), handlers=[_Forward()], force=True)


def straight(level: str, event: str) -> Callable[[Event], None]:
    """Logs one event again and again as structlog would, without it in between: 2 us instead of 5 for each line."""
    if not structlog.get_logger().is_enabled_for(LEVELS[level]):
        return lambda fields: None
    line: Callable[[Any, str, Event], bytes] = structlog.get_config()["processors"][-1]
    write = _Lines().msg
    return lambda fields: write(line(None, level, {"time": _now(), "level": level, "event": event, **fields}))


class _Lines:
    """Writes each line at once and whole. To the file number, as `sys.stderr` may be exchanged."""

    def _write(self, line: bytes) -> None:
        while line:
            try:
                line = line[os.write(2, line) :]
            except BlockingIOError:
                continue
            except OSError:
                return  # nobody reads; that is no reason to fail

    debug = info = warning = error = critical = exception = msg = _write


class _Forward(logging.Handler):
    """What libraries log."""

    def emit(self, record: logging.LogRecord) -> None:
        level = max(known for known in (0, *LEVELS.values()) if known <= record.levelno) or logging.DEBUG
        structlog.get_logger().log(
            level, record.getMessage(), logger=record.name, **({"exc_info": record.exc_info} if record.exc_info else {})
        )


def _with_time(_: Any, level: str, event: Event) -> Event:
    return {"time": _now(), "level": level, "event": event.pop("event"), **event}


def _now() -> str:
    second, rest = divmod(time_ns(), 1_000_000_000)
    return f"{_written(second)}.{rest // 1_000_000:03}Z"


@lru_cache(maxsize=1)  # most lines are of the same second as the one before
def _written(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _with_traceback(_: Any, __: str, event: Event) -> Event:
    error = event.pop("exc_info", None)
    if error:
        event["traceback"] = _traceback(error)
    return event


def _traceback(error: Any) -> str:
    found = error if isinstance(error, BaseException) else (error[1] if isinstance(error, tuple) else sys.exception())
    if found is None:
        return ""
    told = "".join(format_exception(found)).rstrip("\n")
    return "\n".join(line for line in told.splitlines() if not line.startswith("DETAIL:"))


def _json_line(_: Any, __: str, event: Event) -> bytes:
    return _ENCODER.encode(event) + b"\n"


def _text_line(is_coloured: bool) -> Callable[[Any, str, Event], bytes]:
    def line(_: Any, level: str, event: Event) -> bytes:
        at, _level, what, told = event.pop("time"), event.pop("level"), event.pop("event"), event.pop("traceback", "")
        before, after = (_COLOURS.get(level, ""), "\033[0m") if is_coloured else ("", "")
        pairs = "".join(f" {name}={_shown(value)}" for name, value in event.items())
        shown = what if what.isprintable() else dumps(what)
        return f"{at} {before}{level:<7}{after} {shown}{pairs}\n{told}{told and chr(10)}".encode(errors="replace")

    return line


def _shown(value: Any) -> str:
    text = str(value)
    return text if text and _PLAIN.issuperset(text) else dumps(text)
