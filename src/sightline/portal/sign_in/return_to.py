"""The page after sign-in: always a path of the portal."""

from urllib.parse import unquote

HOME = "/"
_LONGEST = 2000
_DECODINGS = 5


def safe_path(path: str | None) -> str:
    """Returns the path with its query if it stays on the portal, else the home page.

    It has no scheme, host, `//`, backslash, `.` or `..` as a folder, or control character, also after decoding it
    several times, and is no address of the sign-in itself.
    """
    if not path or len(path) > _LONGEST or not path.startswith("/"):
        return HOME
    kept = path.partition("#")[0]
    # For browsers the path ends at the first literal "?", not at an encoded one.
    whole, path = _decoded(kept), _decoded(kept.partition("?")[0])
    if whole is None or path is None or "//" in whole or "\\" in whole or not whole.isprintable():
        return HOME
    folders = path.split("/")
    return HOME if {".", ".."} & set(folders) or folders[1].lower() == "api" else kept


def _decoded(text: str) -> str | None:
    """Returns the fully decoded text, or None if that takes too many steps."""
    for _ in range(_DECODINGS):
        before, text = text, unquote(text)
        if text == before:
            return text
    return None
