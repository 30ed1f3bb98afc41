"""What a check of the installation finds."""

from msgspec import Struct


class Check(Struct):
    """One line of `sightline doctor`. A warning is ok all the same: it does not change the exit code."""

    name: str
    ok: bool
    message: str
    warning: bool = False
