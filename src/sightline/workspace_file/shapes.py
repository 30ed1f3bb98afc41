"""Checks records against the types of their lists."""

from typing import Any

import msgspec

from sightline.platform.faults import faults_in
from sightline.platform.file_section import Faults


def check_shape(value: Any, shape: Any, path: str, faults: Faults) -> bool:
    """Returns whether the value fits its type. Adds every fault."""
    try:
        msgspec.convert(value, shape)
    except msgspec.ValidationError:
        for fault in faults_in(shape, value, path):
            faults.add(fault.path, fault.message)
        return False
    return True


def check_text(value: Any, path: str, faults: Faults) -> bool:
    """Returns whether all texts in the value are Unicode. Adds a fault if not."""
    try:
        msgspec.json.encode(value)
    except (UnicodeEncodeError, TypeError):
        faults.add(path, "Has a text that is not Unicode")
        return False
    return True
