"""The library of the demonstration: invented articles about the market of the sample workspace."""

import os
import re
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path

_DAYS_AGO = re.compile(r"\bDAY-(\d+)")


def write_articles(folder: Path, now: datetime) -> None:
    """Writes the articles into a new folder, as if saved now and with dates counted back from it. Keeps a folder."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    for article in files("sightline.sample").joinpath("library").iterdir():
        text = article.read_text(encoding="utf-8")
        path = folder / article.name
        path.write_text(_DAYS_AGO.sub(lambda found: _ago(now, found[1]), text), encoding="utf-8")
        os.utime(path, (now.timestamp(), now.timestamp()))


def _ago(now: datetime, days: str) -> str:
    return (now - timedelta(days=int(days))).date().isoformat()
