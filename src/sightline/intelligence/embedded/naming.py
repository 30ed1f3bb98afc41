"""A name for an idea that came without one: its own words, nothing added."""

from typing import Final

from sightline.intelligence.embedded.sentences import MOST_CHARACTERS, split_sentences

LONGEST_NAME: Final = 80
_MARKS_BEFORE: Final = "#*->`_~|•·\u200b\ufeff"
_MARKS_AFTER: Final = "*`_~|\u200b\ufeff"
_END: Final = ".,;:!?…-–—*_`~|>#(["  # noqa: RUF001 - dashes that may end a cut
_GREETINGS: Final = frozenset(
    ["hi", "hello", "hey", "dear", "greetings", "morning", "afternoon", "evening", "thanks", "thank"]
)
_LEFT_OPEN: Final = frozenset(["a", "an", "and", "as", "at", "because", "but", "by", "for", "from", "if", "in", "into", "is", "of", "on", "or", "our", "so", "than", "that", "the", "their", "then", "to", "via", "when", "where", "which", "while", "who", "with", "without", "your", "my", "are", "be", "was", "were", "it", "this", "these", "its"])  # fmt: skip


def name_idea(description: str) -> str:
    """Words of the description in their order, 1 to 80 characters, preferring the first sentence that says something.

    Marks of Markdown are left out; a single longer word is cut. Only where the description has no visible
    character at all is the name "Idea".
    """
    sentences = split_sentences(description)
    chosen = next((sentence for sentence in sentences if _is_telling(sentence)), sentences[0] if sentences else "")
    return _fitted(_unmarked(chosen)) or _fitted(_visible(description)) or "Idea"


def _is_telling(sentence: str) -> bool:
    words = sentence.lower().split()
    return len(words) >= 3 and words[0].strip(".,!") not in _GREETINGS


def _unmarked(sentence: str) -> list[str]:
    words = (word.lstrip(_MARKS_BEFORE).rstrip(_MARKS_AFTER) for word in sentence.split())
    return [word for word in words if word]


def _fitted(words: list[str]) -> str:
    kept: list[str] = []
    length = -1
    for word in words:
        length += len(word) + 1
        if length > LONGEST_NAME:
            break
        kept.append(word)
    if not kept:
        return words[0][:LONGEST_NAME].strip() if words else ""
    if len(kept) < len(words):
        kept = _closed(kept)
    return " ".join(kept).rstrip(_END).rstrip() or " ".join(kept)


def _closed(words: list[str]) -> list[str]:
    """Without the words at the end that announce more."""
    end = len(words)
    while end > 1 and words[end - 1].strip(_END).lower() in _LEFT_OPEN:
        end -= 1
    return words[:end]


def _visible(description: str) -> list[str]:
    """What can be seen of a description without letters and digits."""
    seen = (character if character.isprintable() else " " for character in description[:MOST_CHARACTERS])
    return "".join(seen).split()
