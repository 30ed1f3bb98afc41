"""README.md leads to every guide."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("guide", sorted(path.name for path in (ROOT / "docs/guide").glob("*.md")))
def test_a_guide_is_in_the_table_of_the_readme(guide: str) -> None:
    assert f"\n| [docs/guide/{guide}](docs/guide/{guide}) | " in (ROOT / "README.md").read_text()
