"""Every setting, typed and read once, in this precedence: command line, environment, `sightline.toml`.

A setting `public_url` is `--public-url` on the command line of the commands that use it, `SIGHTLINE_PUBLIC_URL` in
the environment, and `public_url` in `sightline.toml` of the current folder. An empty value counts as not set.
"""

import os
import re
import secrets
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import Field, dataclass, field, fields, replace
from datetime import timedelta
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, get_type_hints
from urllib.parse import urlsplit

FILE = "sightline.toml"
PREFIX = "SIGHTLINE_"
LEAST_SECRET = 16  # characters
WEB_PROVIDERS = ("searxng", "brave", "tavily", "exa")

Network = IPv4Network | IPv6Network


class SettingsError(Exception):
    """A setting is missing or wrong. The message is one line with its name and the expected value."""


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("text")
    return value


def _secret(value: Any) -> str:
    if len(_text(value)) < LEAST_SECRET:
        raise ValueError(f"at least {LEAST_SECRET} characters")
    return str(value)


def _one_of(*allowed: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if str(value).lower() not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return str(value).lower()

    return read


def _number(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        text = str(value).strip()
        if isinstance(value, bool) or not (text.isascii() and text.isdigit()) or not least <= int(text) <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return int(text)

    return read


def _price(value: Any) -> Decimal:
    text = str(value).strip()
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text, re.ASCII):
        raise ValueError("a price like 0.15")
    return Decimal(text)


def _seconds(value: Any) -> timedelta:
    try:
        return timedelta(seconds=float(value))
    except (TypeError, ValueError, OverflowError):
        raise ValueError("a number of seconds") from None


def _yes_or_no(value: Any) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if str(value).lower() not in words:
        raise ValueError("true or false")
    return words[str(value).lower()]


def _folder(value: Any) -> Path:
    return Path(value if isinstance(value, Path) else _text(value)).expanduser().absolute()


def _url_of(*schemes: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        try:
            parts = urlsplit(_text(value))
            is_fine = parts.scheme in schemes and (parts.port is None or bool(parts.hostname))
        except ValueError:
            is_fine = False
        if not is_fine:
            raise ValueError(f"an address that begins with {schemes[0]}://")
        return str(value)

    return read


def _country(value: Any) -> str:
    text = str(value).lower()
    if not (len(text) == 2 and text.isascii() and text.isalpha()):
        raise ValueError("the two letters of a country, such as us")
    return text


def _web_url(value: Any) -> str:
    address = _url_of("https", "http")(value)
    if not urlsplit(address).hostname:
        raise ValueError("an address like https://host.example")
    return address.rstrip("/")


def _origin(value: Any) -> str:
    if value == "*":
        return "*"
    address = _web_url(value)
    if urlsplit(address).path or urlsplit(address).query:
        raise ValueError("origins like https://host.example")
    return address


def _network(value: Any) -> Network:
    try:
        return ip_network(_text(value).strip(), strict=False)
    except ValueError:
        raise ValueError("networks or addresses like 10.0.0.0/8") from None


def _many(read_one: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Reads a comma-separated list, or a list in the file."""

    def read(value: Any) -> tuple[Any, ...]:
        items = value if isinstance(value, list | tuple) else str(value).split(",")
        trimmed = (item.strip() if isinstance(item, str) else item for item in items)
        return tuple(read_one(item) for item in trimmed if item != "")

    return read


_database_url = _url_of("postgresql", "postgres")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, checked. Each type is annotated with the function that reads it. None means not configured."""

    data_dir: Annotated[Path, _folder]
    database_url: Annotated[str | None, _database_url] = field(default=None, repr=False)
    listen_url: Annotated[str | None, _database_url] = field(default=None, repr=False)
    secret: Annotated[str | None, _secret] = field(default=None, repr=False)
    public_url: Annotated[str | None, _web_url] = None
    host: Annotated[str, _text] = "127.0.0.1"
    port: Annotated[int, _number(0, 65535)] = 8000
    workers: Annotated[int, _number(1, 256)] = 1
    no_worker: Annotated[bool, _yes_or_no] = False
    concurrency: Annotated[int, _number(1, 1000)] = 10
    job_heartbeat: Annotated[int, _number(1, 3600)] = 10  # seconds
    pool_size: Annotated[int, _number(1, 1000)] = 10
    trusted_proxies: Annotated[tuple[Network, ...], _many(_network)] = ()
    cors_origins: Annotated[tuple[str, ...], _many(_origin)] = ()
    clock_offset: Annotated[timedelta, _seconds] = timedelta(0)
    rate_limit: Annotated[int, _number(0, 1_000_000_000)] = 0
    portal_limit: Annotated[bool, _yes_or_no] = True
    log_level: Annotated[str, _one_of("debug", "info", "warning", "error")] = "info"
    log_format: Annotated[str, _one_of("text", "json")] = "text"
    model_url: Annotated[str | None, _web_url] = None
    model_name: Annotated[str | None, _text] = None
    model_key: Annotated[str | None, _text] = field(default=None, repr=False)
    model_requests: Annotated[int, _number(1, 1000)] = 12  # of one task, as the next two
    model_tokens: Annotated[int, _number(1, 1_000_000_000)] = 200_000
    model_seconds: Annotated[int, _number(1, 3600)] = 300
    model_input_price: Annotated[Decimal | None, _price] = None  # of a million tokens, as the next one
    model_output_price: Annotated[Decimal | None, _price] = None
    search_provider: Annotated[str | None, _one_of("library", *WEB_PROVIDERS)] = None
    searxng_url: Annotated[str | None, _web_url] = None
    brave_key: Annotated[str | None, _text] = field(default=None, repr=False)
    brave_url: Annotated[str, _web_url] = "https://api.search.brave.com"
    tavily_key: Annotated[str | None, _text] = field(default=None, repr=False)
    tavily_url: Annotated[str, _web_url] = "https://api.tavily.com"
    exa_key: Annotated[str | None, _text] = field(default=None, repr=False)
    exa_url: Annotated[str, _web_url] = "https://api.exa.ai"
    library_dir: Annotated[Path | None, _folder] = None
    app_store_url: Annotated[str, _web_url] = "https://itunes.apple.com"
    app_store_country: Annotated[str, _country] = "us"
    fetch_allow: Annotated[tuple[Network, ...], _many(_network)] = ()

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
        for name in (setting.name for setting in fields(cls)):
            if text := environment.get(variable(name)):
                found[name] = text, variable(name)
            if options is not None and options.get(name) is not None:
                found[name] = options[name], "--" + name.replace("_", "-")
        found.setdefault("data_dir", (default_data_dir(environment), "the default data directory"))
        readers = {name: hint.__metadata__[0] for name, hint in get_type_hints(cls, include_extras=True).items()}
        settings = cls(
            **{at.name: _read(at, readers[at.name], *found[at.name]) for at in fields(cls) if at.name in found}
        )
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
        chosen = ((at.name, getattr(self, at.name)) for at in fields(self))
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
    except tomllib.TOMLDecodeError as error:
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


def _read(setting: "Field[Any]", read: Callable[[Any], Any], value: Any, source: str) -> Any:
    try:
        return read(value)
    except ValueError as error:
        found = f", not {str(value)[:100]!r}" if setting.repr else ""
        raise SettingsError(f"{source}: expected {error}{found}.") from None


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, timedelta):
        return str(value.total_seconds())
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
