"""The reference is tested with the laboratory's operations, and with the real application."""

from tests.platform.http.conftest import browser, lab, lab_address

__all__ = ["browser", "lab", "lab_address"]
