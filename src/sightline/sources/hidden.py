"""Text that a page holds and does not show, such as the words of a closed dialog: nobody could find a quote of it."""

import re
from typing import Any, Final

_UNSEEN: Final = frozenset({"script", "style", "template"})
_WHOLE: Final = frozenset({"html", "body"})  # pages that hide themselves until a script has run
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)


def empty_hidden(tree: Any) -> None:
    """Empties the elements that are hidden by themselves; the text after them stays.

    What hides elements from outside, as a style sheet does, is not seen. A closed `<details>` stays:
    a click opens it.
    """
    for element in [one for one in tree.iter() if _is_hidden(one)]:
        element.clear(keep_tail=True)


def _is_hidden(element: Any) -> bool:
    if not isinstance(element.tag, str) or element.tag in _WHOLE:
        return False
    if element.tag in _UNSEEN or (element.tag == "dialog" and "open" not in element.attrib):
        return True
    if element.get("hidden", "until-found").strip().lower() != "until-found":
        return True
    if element.get("aria-hidden", "").strip().lower() == "true":
        return True
    style = _declarations(element.get("style") or "")
    return style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse")


def _declarations(style: str) -> dict[str, str]:
    """The values of a style attribute in lower case, of which the last counts, and an important one before others."""
    found: dict[str, str] = {}
    important: set[str] = set()
    for declaration in _COMMENT.sub(" ", style).lower().split(";"):
        name, _, text = declaration.partition(":")
        value, mark, _ = text.partition("!")
        if mark or name.strip() not in important:
            found[name.strip()] = value.strip()
        if mark:
            important.add(name.strip())
    return found
