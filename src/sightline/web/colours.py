"""The accent colour of a workspace on light and dark pages, with colours that are seen and read there."""

from functools import lru_cache

Colour = tuple[float, float, float]

_WHITE, _BLACK = (255.0, 255.0, 255.0), (0.0, 0.0, 0.0)
_RAISED_LIGHT, _RAISED_DARK = (0xF7, 0xF8, 0xFA), (0x17, 0x1A, 0x20)  # the darkest and the lightest background
_SEEN, _READABLE = 3.0, 4.5  # contrasts of an edge, and of text


def six_digits(color: str) -> str:
    """Returns `#0a7` as `00aa77`."""
    digits = color.removeprefix("#").lower()
    return digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)


@lru_cache(maxsize=1000)
def accent_stylesheet(digits: str) -> str:
    """Returns the custom properties of one accent colour, given as six hexadecimal digits."""
    accent = (float(int(digits[:2], 16)), float(int(digits[2:4], 16)), float(int(digits[4:], 16)))
    light, dark = _properties(accent, _RAISED_LIGHT, _BLACK), _properties(accent, _RAISED_DARK, _WHITE)
    return f":root{{{light}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"


def _properties(accent: Colour, ground: Colour, towards: Colour) -> str:
    """Returns the properties for pages of this background: the accent, text on it, an edge around it, text in it."""
    edge, text = _mixed(accent, ground, towards, _SEEN), _mixed(accent, ground, towards, _READABLE)
    on_accent = _WHITE if contrast(accent, _WHITE) >= contrast(accent, _BLACK) else _BLACK
    colours = {"accent": accent, "on-accent": on_accent, "accent-edge": edge, "accent-ink": text}
    return ";".join(f"--{name}:{_hex(colour)}" for name, colour in colours.items())


def contrast(one: Colour, other: Colour) -> float:
    """Returns the contrast ratio of WCAG, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(accent: Colour, ground: Colour, towards: Colour, least: float) -> Colour:
    """Returns the accent, mixed in steps of 1 % with black or white until it has this contrast to the background."""
    mixed = accent
    for step in range(101):
        red, green, blue = (round(own + (end - own) * step / 100) for own, end in zip(accent, towards, strict=True))
        mixed = (float(red), float(green), float(blue))
        if contrast(mixed, ground) >= least:
            break
    return mixed


def _hex(colour: Colour) -> str:
    return "#" + "".join(f"{round(part):02x}" for part in colour)
