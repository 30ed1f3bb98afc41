"""Every setting, typed and read once, in this precedence: command line, environment, `sightline.toml`.

A setting `public_url` is `--public-url` on the command line of the commands that use it, `SIGHTLINE_PUBLIC_URL` in
the environment, and `public_url` in `sightline.toml` of the current folder. An empty value counts as not set.
"""

import os
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import MISSING, dataclass, fields, replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, get_type_hints

from sightline.settings.declaring import (
    LEAST_SECRET,
    Network,
    Setting,
    SettingsError,
    Text,
    country,
    folder,
    long_secret,
    many,
    network,
    origin,
    price,
    seconds,
    setting,
    url_of,
    web_url,
)

__all__ = ["FILE", "PREFIX", "SETTINGS", "Setting", "Settings", "SettingsError", "read_file", "variable"]

FILE = "sightline.toml"
PREFIX = "SIGHTLINE_"

_database_url = url_of("postgresql", "postgres")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, checked. None means not configured."""

    data_dir: Path = setting("Folder of the embedded database and of the secret.", folder, default=MISSING)
    database_url: str | None = setting(
        "A PostgreSQL 15 or newer of your own, as `postgresql://user:password@host/database`.",
        _database_url,
        is_secret=True,
    )
    listen_url: str | None = setting(
        "The database's own address, when `SIGHTLINE_DATABASE_URL` is a pooler's.", _database_url, is_secret=True
    )
    secret: str | None = setting(
        f"Encrypts the portals' secrets and signs cookies; at least {LEAST_SECRET} characters. Created in the data "
        "directory with the embedded database; with a database of your own it must be given.",
        long_secret,
        is_secret=True,
    )
    public_url: str | None = setting("The address at which people reach the service.", web_url)
    host: Text = setting("The address to listen on; `0.0.0.0` for all networks.", default="127.0.0.1")
    port: int = setting("The port to listen on; 0 uses a free one.", default=8000, ge=0, le=65535)
    workers: int = setting("API processes.", default=1, ge=1, le=256)
    no_worker: bool = setting("Run no background worker with the API.", default=False)
    concurrency: int = setting("Jobs that a background worker runs at once.", default=10, ge=1, le=1000)
    job_heartbeat: int = setting(
        "Seconds without a heartbeat after which a worker counts as dead and other workers take its jobs.",
        default=10,
        ge=1,
        le=3600,
    )
    pool_size: int = setting("Database connections of each API process.", default=10, ge=1, le=1000)
    trusted_proxies: tuple[Network, ...] = setting(
        "Networks of the proxies whose `X-Forwarded-*` headers are trusted: they decide client address, scheme and "
        "host.",
        many(network),
        default=(),
    )
    cors_origins: tuple[str, ...] = setting(
        "Origins whose pages may call the API from a browser; `*` for any.", many(origin), default=()
    )
    clock_offset: timedelta = setting(
        "Seconds added to the clock, for tests of time; the same for all processes.", seconds, default=timedelta(0)
    )
    rate_limit: int = setting("Requests per minute and key; 0 is no limit.", default=0, ge=0, le=1_000_000_000)
    portal_limit: bool = setting(
        "Limits of the portal per person, address and sign-in; `false` (or `0`) switches them off.", default=True
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "`debug`, `info`, `warning` or `error`.", default="info"
    )
    log_format: Literal["text", "json"] = setting("`text` or `json`.", default="text")
    model_url: str | None = setting(
        "A model behind an OpenAI-compatible interface, for servers and workers alike. Without it the embedded "
        "engine is used: [engines](intelligence.md).",
        web_url,
    )
    model_name: Text | None = setting("The name of the model.")
    model_key: Text | None = setting("The key of the model's service.", is_secret=True)
    model_requests: int = setting("The most requests of one task.", default=12, ge=1, le=1000)
    model_tokens: int = setting("The most tokens of one task, sent and received.", default=200_000, ge=1, le=10**9)
    model_seconds: int = setting("The most seconds of one task.", default=300, ge=1, le=3600)
    model_input_price: Decimal | None = setting(
        "The price of a million tokens sent, in your currency, for `sightline usage`.", price
    )
    model_output_price: Decimal | None = setting("The price of a million tokens received.", price)
    search_provider: Literal["library", "searxng", "brave", "tavily", "exa"] | None = setting(
        "`searxng`, `brave`, `tavily`, `exa` or `library`. By default research searches the web with the first of "
        "these that is configured, and the library without one."
    )
    searxng_url: str | None = setting("Address of a SearXNG that answers in JSON.", web_url)
    brave_key: Text | None = setting("Key for Brave's search.", is_secret=True)
    brave_url: str = setting("Its base address.", web_url, default="https://api.search.brave.com")
    tavily_key: Text | None = setting("Key for Tavily.", is_secret=True)
    tavily_url: str = setting("Its base address.", web_url, default="https://api.tavily.com")
    exa_key: Text | None = setting("Key for Exa.", is_secret=True)
    exa_url: str = setting("Its base address.", web_url, default="https://api.exa.ai")
    library_dir: Path | None = setting(
        "Folder of saved pages, which can be searched without an account: [the library](library.md).", folder
    )
    app_store_url: str = setting(
        "Base address of the app store's search, lookup and review feeds.", web_url, default="https://itunes.apple.com"
    )
    app_store_country: str = setting(
        "The storefront whose apps, ratings and reviews are read: two letters of a country.", country, default="us"
    )
    fetch_allow: tuple[Network, ...] = setting(
        "Private networks from which pages may be fetched, on every port.", many(network), default=()
    )

    @classmethod
    def read(
        cls,
        options: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        file: Path | None = None,
    ) -> "Settings":
        """Reads all settings. `options`: of the command line, None if unused. Raises SettingsError."""
        environment = os.environ if environment is None else environment
        file = file or Path(FILE)
        found = {name: (value, f"{name} in {file}") for name, value in read_file(file).items()}
        for name in SETTINGS:
            if text := environment.get(variable(name)):
                found[name] = text, variable(name)
            if options is not None and options.get(name) is not None:
                found[name] = options[name], "--" + name.replace("_", "-")
        found.setdefault("data_dir", (default_data_dir(environment), "the default data directory"))
        settings = cls(**{name: at.convert(*found[name]) for name, at in SETTINGS.items() if name in found})
        chosen = settings.search_provider
        if chosen not in (None, "library", *settings.web_providers):
            needed = variable("searxng_url" if chosen == "searxng" else f"{chosen}_key")
            raise SettingsError(f"{found['search_provider'][1]}: {chosen} is not configured: set {needed}.")
        return settings

    @property
    def direct_url(self) -> str | None:
        """The address of the database itself, not of a pooler, so that LISTEN and advisory locks work."""
        return self.listen_url or self.database_url

    @property
    def library(self) -> Path:
        """The folder of saved pages."""
        return self.library_dir or self.data_dir / "library"

    @property
    def web_providers(self) -> dict[str, tuple[str, str]]:
        """The address and the key of each configured provider of the web, in the order of choice."""
        accounts: dict[str, tuple[str | None, str | None]] = {
            "searxng": (self.searxng_url, ""),
            "brave": (self.brave_url, self.brave_key),
            "tavily": (self.tavily_url, self.tavily_key),
            "exa": (self.exa_url, self.exa_key),
        }
        return {name: (url, key) for name, (url, key) in accounts.items() if url is not None and key is not None}

    @property
    def chosen_provider(self) -> str:
        """The provider that research searches with: the chosen one, else the first that is configured."""
        return self.search_provider or next(iter(self.web_providers), "library")

    @property
    def has_model(self) -> bool:
        """Whether a model is configured."""
        return self.model_url is not None and self.model_name is not None

    @property
    def is_pooled(self) -> bool:
        """Whether the database is reached through a pooler."""
        return self.listen_url is not None

    def environment(self) -> dict[str, str]:
        """Returns all configured settings as environment variables for a child process."""
        chosen = ((name, getattr(self, name)) for name in SETTINGS)
        return {variable(name): _written(value) for name, value in chosen if value is not None}

    def address(self, port: int | None = None) -> str:
        """The address at which people reach the service, without a trailing slash."""
        if self.public_url is not None:
            return self.public_url
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)  # noqa: S104 - compared, not bound
        return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{port or self.port}"

    def embedded(self) -> "Settings":
        """Returns these settings with the embedded database in place of any other."""
        return replace(self, database_url=None, listen_url=None)

    def server_secret(self) -> str:
        """Returns the secret that encrypts and signs. With the embedded database the first call creates it.

        Raises SettingsError if there is none and the database is not embedded, or if its file cannot be used.
        """
        if self.secret is not None:
            return self.secret
        if self.database_url is not None:
            raise SettingsError(
                "SIGHTLINE_SECRET is needed with a database of your own: set 32 random characters, always the same."
            )
        with _usable_secret(self.data_dir):
            return _kept_secret(self.data_dir / "secret")

    def known_secret(self) -> str | None:
        """Returns the secret if it exists. Raises SettingsError if its file cannot be used."""
        is_kept = self.database_url is None and (self.data_dir / "secret").exists()
        return self.server_secret() if is_kept else self.secret

    def keep_secret(self, secret: str) -> None:
        """Stores the secret in the data directory; replaces an existing one. Raises SettingsError."""
        with _usable_secret(self.data_dir):
            _new_secret_file(self.data_dir, secret).replace(self.data_dir / "secret")


def variable(name: str) -> str:
    """Returns the environment variable of a setting or an option."""
    return PREFIX + name.upper()


def read_file(file: Path) -> dict[str, Any]:
    """Returns the settings of a `sightline.toml`, none if it does not exist. Raises SettingsError."""
    try:
        with open(file, "rb") as opened:
            found = tomllib.load(opened)
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{file} is not valid TOML: {error}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}.") from None
    return {name.replace("-", "_"): value for name, value in found.items()}


def default_data_dir(environment: Mapping[str, str]) -> Path:
    """Returns /var/lib/sightline/data for root, the user's data folder for others."""
    if os.geteuid() == 0:
        return Path("/var/lib/sightline/data")
    home = environment.get("XDG_DATA_HOME")
    return (Path(home) if home and Path(home).is_absolute() else Path.home() / ".local/share") / "sightline"


def _kept_secret(file: Path) -> str:
    """Returns the content of the file, and creates it if needed. If several processes create it, one wins."""
    if not file.exists():
        new = _new_secret_file(file.parent, secrets.token_urlsafe(32))
        with suppress(FileExistsError):
            os.link(new, file)
        new.unlink()
    return file.read_text().strip()


def _new_secret_file(folder: Path, secret: str) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = folder / f"secret.{secrets.token_hex(4)}"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(secret + "\n")
    return new


@contextmanager
def _usable_secret(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SettingsError(f"The secret in {folder} cannot be used: {error.strerror}.") from None


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, timedelta):
        return str(value.total_seconds())
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


_HINTS = get_type_hints(Settings, include_extras=True)
SETTINGS = {
    at.name: Setting(_HINTS[at.name], None if at.default is MISSING else at.default, at.repr, at.metadata["meta"])
    for at in fields(Settings)
}
