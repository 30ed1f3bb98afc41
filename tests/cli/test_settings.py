"""Where settings come from, and what is said about a wrong one."""

import os
import re
import stat
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import pytest

import sightline
from sightline.settings import SETTINGS, Settings, SettingsError


def read(given: dict[str, Any] | None = None, file: Path | None = None, **environment: str) -> Settings:
    named = {f"SIGHTLINE_{name}": value for name, value in environment.items()}
    return Settings.read(given, named, file or Path("/nonexistent"))


def test_defaults() -> None:
    settings = read()
    assert (settings.host, settings.port, settings.workers, settings.rate_limit) == ("127.0.0.1", 8000, 1, 0)
    assert (settings.database_url, settings.public_url, settings.cors_origins) == (None, None, ())
    assert settings.address() == "http://127.0.0.1:8000"


def test_the_command_line_wins_then_the_environment_then_the_file(tmp_path: Path) -> None:
    file = tmp_path / "sightline.toml"
    file.write_text('port = 1\nhost = "0.0.0.0"\nlog-level = "debug"\nworkers = 3')
    settings = read({"port": 3, "host": None}, file, PORT="2", HOST="::1", LOG_FORMAT="json")
    assert (settings.port, settings.host, settings.log_level, settings.workers) == (3, "::1", "debug", 3)


def test_an_empty_variable_counts_as_not_given() -> None:
    assert read(PORT="", PUBLIC_URL="").port == 8000


def test_lists_are_separated_by_commas_or_lists_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "sightline.toml"
    file.write_text('fetch_allow = ["10.0.0.0/8", "::1"]')
    settings = read(None, file, CORS_ORIGINS="https://a.test, http://b.test:81,", TRUSTED_PROXIES="10.1.2.3")
    assert settings.cors_origins == ("https://a.test", "http://b.test:81")
    assert settings.trusted_proxies == (ip_network("10.1.2.3/32"),)
    assert settings.fetch_allow == (ip_network("10.0.0.0/8"), ip_network("::1/128"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "65536"),
        ("PORT", "1_0"),
        ("PORT", "-1"),
        ("WORKERS", "0"),
        ("RATE_LIMIT", "many"),
        ("LOG_LEVEL", "loud"),
        ("LOG_FORMAT", "xml"),
        ("CLOCK_OFFSET", "soon"),
        ("CLOCK_OFFSET", "nan"),
        ("CLOCK_OFFSET", "-99999999999"),
        ("DATABASE_URL", "mysql://here"),
        ("DATABASE_URL", "postgresql://user@host:port/db"),
        ("PUBLIC_URL", "example.test"),
        ("CORS_ORIGINS", "https://a.test/path"),
        ("TRUSTED_PROXIES", "10.0.0.0/99"),
        ("FETCH_ALLOW", "intranet"),
        ("SEARCH_PROVIDER", "other"),
        ("APP_STORE_COUNTRY", "usa"),
        ("NO_WORKER", "perhaps"),
    ],
)
def test_a_wrong_value_is_refused_in_one_line_that_names_the_setting(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"^SIGHTLINE_{name}: expected ") as refusal:
        read(None, None, **{name: value})
    assert len(str(refusal.value).splitlines()) == 1


def test_a_wrong_secret_value_is_not_repeated() -> None:
    with pytest.raises(SettingsError) as refusal:
        read(DATABASE_URL="mysql://user:hunter2@host/db")
    assert "hunter2" not in str(refusal.value)


def test_secrets_are_not_in_the_repr() -> None:
    settings = read(SECRET="hunter2 of sixteen", MODEL_KEY="hunter2", DATABASE_URL="postgresql://u:hunter2@h/d")
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize("text", ["port =", "\x00", "port = 1\nport = 2", f"port = {5_000 * '['}"])
def test_a_broken_file_is_refused_by_its_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "sightline.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=r"sightline\.toml"):
        read(None, file)


def test_a_process_started_with_the_environment_has_the_same_settings() -> None:
    given = {"port": 80, "workers": 2, "public_url": "https://a.test", "database_url": "postgresql://u@h/d"}
    lists = {"cors_origins": "https://a.test,https://b.test", "trusted_proxies": "10.0.0.0/8", "clock_offset": "-1.5"}
    settings = read({**given, **lists, "secret": "sixteen or longer", "no_worker": True, "library_dir": "/l"})
    assert Settings.read(None, settings.environment(), Path("/nonexistent")) == settings
    assert settings.clock_offset == timedelta(seconds=-1.5)


def test_a_default_is_of_the_type_of_its_setting() -> None:
    settings = read()
    assert Settings.read(None, settings.environment(), Path("/nonexistent")) == settings
    none = {name for name, one in SETTINGS.items() if one.default is None and NoneType not in get_args(one.type)}
    assert none == {"data_dir"}  # it depends on the user


@pytest.mark.parametrize("name", ["host", "model_name"])
def test_a_text_with_the_character_nul_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "sightline.toml"
    file.write_text(f'{name} = "a\\u0000b"')
    with pytest.raises(SettingsError, match=f"^{name} in .*: expected text"):
        read(None, file)


def test_the_data_directory_is_in_the_users_data_folder() -> None:
    environment = {"XDG_DATA_HOME": "/home/x/data"}
    expected = "/var/lib/sightline/data" if os.geteuid() == 0 else "/home/x/data/sightline"
    assert str(Settings.read({}, environment, Path("/nonexistent")).data_dir) == expected


def test_the_secret_is_made_once_and_kept_closed(tmp_path: Path) -> None:
    settings = read(DATA_DIR=str(tmp_path / "data"))
    secret = settings.server_secret()
    assert len(secret) >= 32
    assert settings.server_secret() == secret
    assert stat.S_IMODE((tmp_path / "data/secret").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secret"]


def test_a_given_secret_is_taken() -> None:
    assert read(SECRET="given, long enough", DATA_DIR="/nonexistent").server_secret() == "given, long enough"


def test_a_short_secret_is_refused_and_not_repeated() -> None:
    with pytest.raises(SettingsError) as refusal:
        read(SECRET="fifteen letters")
    assert str(refusal.value) == "SIGHTLINE_SECRET: expected at least 16 characters."


# Settings that are read through a property.
READ_AS = {
    "library_dir": "library",
    "search_provider": "chosen_provider",
    "searxng_url": "web_providers",
    **{f"{name}_{part}": "web_providers" for name in ("brave", "tavily", "exa") for part in ("key", "url")},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_read(name: str) -> None:
    source = Path(sightline.__file__).parent
    files = [file for file in source.rglob("*.py") if file.parent.name != "settings" and file.name != "doctor.py"]
    reading = re.compile(rf"settings\.{READ_AS.get(name, name)}\b")
    assert any(reading.search(file.read_text()) for file in files), "Nothing uses this setting: leave it out."


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "library"),
        ({"SEARXNG_URL": "http://search.example"}, "searxng"),
        ({"EXA_KEY": "k", "BRAVE_KEY": "k"}, "brave"),
        ({"EXA_KEY": "k", "BRAVE_KEY": "k", "SEARCH_PROVIDER": "exa"}, "exa"),
        ({"TAVILY_KEY": "k", "SEARCH_PROVIDER": "library"}, "library"),
    ],
)
def test_the_first_provider_is_used_unless_another_is_chosen(settings: dict[str, Any], expected: str) -> None:
    assert read(**settings).chosen_provider == expected


def test_a_chosen_provider_has_to_be_configured() -> None:
    with pytest.raises(SettingsError) as refused:
        read(SEARCH_PROVIDER="tavily", SEARXNG_URL="http://search.example")
    assert str(refused.value) == "SIGHTLINE_SEARCH_PROVIDER: tavily is not configured: set SIGHTLINE_TAVILY_KEY."
    with pytest.raises(SettingsError, match="SIGHTLINE_SEARCH_PROVIDER: expected one of library, searxng"):
        read(SEARCH_PROVIDER="altavista")


def test_a_database_of_ones_own_needs_a_given_secret() -> None:
    with pytest.raises(SettingsError, match="SIGHTLINE_SECRET is needed"):
        read(DATABASE_URL="postgresql://u@h/d").server_secret()


def test_a_pooler_has_a_direct_address_beside_it() -> None:
    settings = read(DATABASE_URL="postgresql://pooler/d", LISTEN_URL="postgresql://direct/d")
    assert (settings.is_pooled, settings.direct_url) == (True, "postgresql://direct/d")
    assert read(DATABASE_URL="postgresql://d/d").is_pooled is False
