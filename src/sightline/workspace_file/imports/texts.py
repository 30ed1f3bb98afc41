"""Text from the markup of other tools."""

import re

_WIKI = (
    (re.compile(r"\{(?:quote|code|noformat|panel)[^}\n]*\}"), ""),
    (re.compile(r"\{color[^}\n]*\}"), ""),
    (re.compile(r"^h[1-6]\.\s+", re.MULTILINE), ""),
    (re.compile(r"^[*#-]+\s+", re.MULTILINE), "- "),
    (re.compile(r"\{\{([^}\n]*)\}\}"), r"\1"),
    (re.compile(r"\[([^|\]\n]+)\|([^\]\n]+)\]"), r"\1 (\2)"),
    (re.compile(r"(?<!\w)([*_+])(\S(?:[^\n]*?\S)?)\1(?!\w)"), r"\2"),
)


def without_wiki_markup(text: str) -> str:
    """Returns the text of Jira's wiki markup."""
    for pattern, replacement in _WIKI:
        text = pattern.sub(replacement, text)
    return text.strip()
