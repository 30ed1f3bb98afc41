"""A demo with its customer's product, and a real browser in front of both."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.command import serving
from tests.platform.embedded_world import open_place
from tests.waiting import wait_until

if TYPE_CHECKING:  # it takes longer to load than most files of tests, which load it too
    from playwright.sync_api import Browser, Page

PRODUCT = Path(__file__).parents[2] / "examples/customer-product/app.py"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@dataclass(frozen=True)
class Demo:
    """The addresses that the demo prints, and its API key."""

    address: str
    key: str
    portal: str
    product: str

    def enter(self, page: "Page", email: str = "oda@torvane.example", path: str = "/") -> None:
        """Opens the portal, signs in to the product on the way, and arrives at that path of the portal."""
        page.goto(f"{self.portal}{path}")
        page.get_by_label("E-mail").fill(email)
        page.get_by_label("Password").fill("demo")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{self.portal}/**")


@pytest.fixture(scope="module")  # not longer: it runs an event loop, beside which no other test can run one
def browser() -> Iterator["Browser"]:
    if CHROMIUM is None:
        pytest.skip("chromium missing: NOTHING of the portal was tried in a browser (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-background-networking", "--disable-dev-shm-usage"],
        )
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def demo() -> Iterator[Demo]:
    words = ("demo", "--customer-product", PRODUCT)
    with open_place() as place, serving(place / "log", *words, "--data-dir", place / "data") as running:
        address = running.wait_ready()
        wait_until(lambda: "\nproduct " in running.said)
        printed = dict(re.findall(r"^(key|portal|product) +(\S+)", running.said, re.MULTILINE))
        yield Demo(address, printed["key"], printed["portal"].rstrip("/"), printed["product"])
