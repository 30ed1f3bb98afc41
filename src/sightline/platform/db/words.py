"""The words of a text as searches find them."""

from unicodedata import category, normalize

_JOINS = r".-/:@_+~\<>&"


def apart(text: str) -> str:
    """Returns SQL for the text with spaces between words that PostgreSQL takes as one, as in `CSV/Excel` and `1.3`."""
    return f"translate({text}, '{_JOINS}', '{' ' * len(_JOINS)}')"


def words_in(text: str) -> list[str]:
    """Returns the words of a search in lower case, each once."""
    composed = normalize("NFC", text.lower())
    # Marks, such as the vowels of Hindi, are parts of words.
    spaced = "".join(one if one.isalnum() or category(one).startswith("M") else " " for one in composed)
    return list(dict.fromkeys(spaced.split()))
