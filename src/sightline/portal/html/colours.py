"""The accent colour of a workspace, made readable on light and dark pages."""

from functools import lru_cache

Colour = tuple[float, float, float]

_WHITE, _BLACK = (255.0, 255.0, 255.0), (0.0, 0.0, 0.0)
_RAISED_LIGHT, _RAISED_DARK = (0xF7, 0xF8, 0xFA), (0x17, 0x1A, 0x20)  # the darkest and the lightest background of text
_READABLE = 4.5


def six_digits(color: str) -> str:
    """Returns `#0a7` as `00aa77`."""
    digits = color.removeprefix("#").lower()
    return digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)


@lru_cache(maxsize=1000)
def accent_stylesheet(digits: str) -> str:
    """Returns the custom properties of one accent colour, given as six hexadecimal digits."""
    accent = (float(int(digits[:2], 16)), float(int(digits[2:4], 16)), float(int(digits[4:], 16)))
    on_accent = "#ffffff" if contrast(accent, _WHITE) >= contrast(accent, _BLACK) else "#000000"
    light, dark = _readable(accent, _RAISED_LIGHT, _BLACK), _readable(accent, _RAISED_DARK, _WHITE)
    return (
        f":root{{--accent:#{digits};--on-accent:{on_accent};--accent-ink:{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{--accent-ink:{dark}}}}}\n"
    )


def contrast(one: Colour, other: Colour) -> float:
    """Returns the contrast ratio of WCAG, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _readable(accent: Colour, ground: Colour, towards: Colour) -> str:
    """Returns the accent, mixed in steps of 1 % with black or white until it is readable on the background."""
    mixed = accent
    for step in range(101):
        red, green, blue = (round(own + (end - own) * step / 100) for own, end in zip(accent, towards, strict=True))
        mixed = (float(red), float(green), float(blue))
        if contrast(mixed, ground) >= _READABLE:
            break
    return "#" + "".join(f"{round(part):02x}" for part in mixed)
