"""The words of a text as searches find them."""

_JOINS = r".-/:@_+~\<>&"


def apart(text: str) -> str:
    """Returns SQL for the text with spaces between words that PostgreSQL takes as one, as in `CSV/Excel` and `1.3`."""
    return f"translate({text}, '{_JOINS}', '{' ' * len(_JOINS)}')"
