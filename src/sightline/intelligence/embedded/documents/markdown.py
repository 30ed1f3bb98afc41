"""People's words inside Markdown: they stay words, whatever signs they hold."""

import re
from typing import Final

_SIGNS: Final = re.compile(r"([\\`*_{}\[\]<>|~&#$])")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u2028\u2029]")
_LIST_START: Final = re.compile(r"^(\d{1,9})([.)])")
_LINE_START: Final = re.compile(r"^([-+=:])")


def inline(text: str) -> str:
    """One line in which no sign means anything to Markdown or HTML."""
    line = " ".join(_CONTROLS.sub(" ", text).split())
    line = _SIGNS.sub(r"\\\1", line)
    line = _LIST_START.sub(r"\1\\\2", line)
    return _LINE_START.sub(r"\\\1", line)


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each one line."""
    parts = re.split(r"\n\s*\n", text.replace("\r\n", "\n"))
    return [line for part in parts if (line := inline(part))]


def ended(line: str) -> str:
    """With a full stop, unless it ends with a sign of its own."""
    return line if not line or line[-1] in ".!?…:;。！？" else f"{line}."  # noqa: RUF001 - other scripts end their sentences so
