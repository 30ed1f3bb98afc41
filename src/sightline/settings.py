"""Every setting, typed and read once: the command line wins, then the environment, then `sightline.toml`.

A setting `public_url` is `--public-url` on the command line of the commands that use it, `SIGHTLINE_PUBLIC_URL` in
the environment, and `public_url` in `sightline.toml` of the current folder. An empty value counts as not given.
"""

import os
import secrets
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import Field, dataclass, field, fields, replace
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, get_type_hints
from urllib.parse import urlsplit

FILE = "sightline.toml"
PREFIX = "SIGHTLINE_"

Network = IPv4Network | IPv6Network


class SettingsError(Exception):
    """A setting is missing or wrong; the message is one line that names it and says what is expected."""


def _text(given: Any) -> str:
    if not isinstance(given, str) or "\0" in given:
        raise ValueError("a text")
    return given


def _one_of(*allowed: str) -> Callable[[Any], str]:
    def read(given: Any) -> str:
        if str(given).lower() not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return str(given).lower()

    return read


def _number(least: int, most: int) -> Callable[[Any], int]:
    def read(given: Any) -> int:
        text = str(given).strip()
        if isinstance(given, bool) or not (text.isascii() and text.isdigit()) or not least <= int(text) <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return int(text)

    return read


def _seconds(given: Any) -> timedelta:
    try:
        return timedelta(seconds=float(given))
    except (TypeError, ValueError, OverflowError):
        raise ValueError("a number of seconds") from None


def _yes_or_no(given: Any) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if str(given).lower() not in words:
        raise ValueError("true or false")
    return words[str(given).lower()]


def _folder(given: Any) -> Path:
    return Path(given if isinstance(given, Path) else _text(given)).expanduser().absolute()


def _url_of(*schemes: str) -> Callable[[Any], str]:
    def read(given: Any) -> str:
        try:
            parts = urlsplit(_text(given))
            is_fine = parts.scheme in schemes and (parts.port is None or bool(parts.hostname))
        except ValueError:
            is_fine = False
        if not is_fine:
            raise ValueError(f"an address that begins with {schemes[0]}://")
        return str(given)

    return read


def _web_url(given: Any) -> str:
    address = _url_of("https", "http")(given)
    if not urlsplit(address).hostname:
        raise ValueError("an address like https://host.example")
    return address.rstrip("/")


def _origin(given: Any) -> str:
    if given == "*":
        return "*"
    address = _web_url(given)
    if urlsplit(address).path or urlsplit(address).query:
        raise ValueError("origins like https://host.example")
    return address


def _network(given: Any) -> Network:
    try:
        return ip_network(_text(given).strip(), strict=False)
    except ValueError:
        raise ValueError("networks or addresses like 10.0.0.0/8") from None


def _many(read_one: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Comma-separated, or a list in the file."""

    def read(given: Any) -> tuple[Any, ...]:
        items = given if isinstance(given, list | tuple) else str(given).split(",")
        trimmed = (item.strip() if isinstance(item, str) else item for item in items)
        return tuple(read_one(item) for item in trimmed if item != "")

    return read


_database_url = _url_of("postgresql", "postgres")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, checked: beside each type stands how its text is read. None means not configured."""

    data_dir: Annotated[Path, _folder]
    database_url: Annotated[str | None, _database_url] = field(default=None, repr=False)
    listen_url: Annotated[str | None, _database_url] = field(default=None, repr=False)
    secret: Annotated[str | None, _text] = field(default=None, repr=False)
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
    log_level: Annotated[str, _one_of("debug", "info", "warning", "error")] = "info"
    log_format: Annotated[str, _one_of("text", "json")] = "text"
    model_url: Annotated[str | None, _web_url] = None
    model_name: Annotated[str | None, _text] = None
    model_key: Annotated[str | None, _text] = field(default=None, repr=False)
    search_provider: Annotated[str | None, _one_of("library", "searxng", "brave", "tavily", "exa")] = None
    searxng_url: Annotated[str | None, _web_url] = None
    brave_key: Annotated[str | None, _text] = field(default=None, repr=False)
    tavily_key: Annotated[str | None, _text] = field(default=None, repr=False)
    exa_key: Annotated[str | None, _text] = field(default=None, repr=False)
    library_dir: Annotated[Path | None, _folder] = None
    app_store_url: Annotated[str, _web_url] = "https://itunes.apple.com"
    fetch_allow: Annotated[tuple[Network, ...], _many(_network)] = ()

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        file: Path | None = None,
    ) -> "Settings":
        """Raises SettingsError. `given` are the options of the command line; those that are None were not given."""
        environment = os.environ if environment is None else environment
        file = file or Path(FILE)
        found = {name: (value, f"{name} in {file}") for name, value in read_file(file).items()}
        for name in (setting.name for setting in fields(cls)):
            if text := environment.get(variable(name)):
                found[name] = text, variable(name)
            if given is not None and given.get(name) is not None:
                found[name] = given[name], "--" + name.replace("_", "-")
        found.setdefault("data_dir", (default_data_dir(environment), "the default data directory"))
        readers = {name: hint.__metadata__[0] for name, hint in get_type_hints(cls, include_extras=True).items()}
        return cls(**{at.name: _read(at, readers[at.name], *found[at.name]) for at in fields(cls) if at.name in found})

    @property
    def direct_url(self) -> str | None:
        """The address of the database itself, where LISTEN and advisory locks work: not of a pooler before it."""
        return self.listen_url or self.database_url

    @property
    def library(self) -> Path:
        """The folder of saved pages."""
        return self.library_dir or self.data_dir / "library"

    @property
    def is_pooled(self) -> bool:
        """Whether the database is reached through a pooler."""
        return self.listen_url is not None

    def environment(self) -> dict[str, str]:
        """All that is configured, as variables for a process that is started with these settings."""
        chosen = ((at.name, getattr(self, at.name)) for at in fields(self))
        return {variable(name): _written(value) for name, value in chosen if value is not None}

    def address(self, port: int | None = None) -> str:
        """Where people reach the service, without a slash at the end."""
        if self.public_url is not None:
            return self.public_url
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)  # noqa: S104 - compared, not bound
        return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{port or self.port}"

    def embedded(self) -> "Settings":
        """These settings with the embedded database, whatever database was configured."""
        return replace(self, database_url=None, listen_url=None)

    def server_secret(self) -> str:
        """The secret that encrypts and signs. Beside an embedded database it is made when it is first needed.

        Raises SettingsError when there is none and the database is not embedded, or its file cannot be used.
        """
        if self.secret is not None:
            return self.secret
        if self.database_url is not None:
            raise SettingsError(
                "SIGHTLINE_SECRET is needed with a database of your own: give 32 random characters, always the same."
            )
        with _usable_secret(self.data_dir):
            return _kept_secret(self.data_dir / "secret")

    def known_secret(self) -> str | None:
        """The secret, if there is one already. Raises SettingsError when its file cannot be used."""
        is_kept = self.database_url is None and (self.data_dir / "secret").exists()
        return self.server_secret() if is_kept else self.secret

    def keep_secret(self, secret: str) -> None:
        """Keeps it in the data directory, in place of one that is there. Raises SettingsError."""
        with _usable_secret(self.data_dir):
            _new_secret_file(self.data_dir, secret).replace(self.data_dir / "secret")


def variable(name: str) -> str:
    """The environment variable of a setting or an option."""
    return PREFIX + name.upper()


def read_file(file: Path) -> dict[str, Any]:
    """The settings of a `sightline.toml`; nothing when there is none. Raises SettingsError."""
    try:
        with open(file, "rb") as opened:
            found = tomllib.load(opened)
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file} is no TOML: {error}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}.") from None
    return {name.replace("-", "_"): value for name, value in found.items()}


def default_data_dir(environment: Mapping[str, str]) -> Path:
    """/var/lib/sightline/data for root, the user's data folder for others."""
    if os.geteuid() == 0:
        return Path("/var/lib/sightline/data")
    home = environment.get("XDG_DATA_HOME")
    return (Path(home) if home and Path(home).is_absolute() else Path.home() / ".local/share") / "sightline"


def _kept_secret(file: Path) -> str:
    """What the file holds; of several processes that make it at once, one wins."""
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


def _read(setting: "Field[Any]", read: Callable[[Any], Any], given: Any, source: str) -> Any:
    try:
        return read(given)
    except ValueError as error:
        shown = f", not {str(given)[:100]!r}" if setting.repr else ""
        raise SettingsError(f"{source}: expected {error}{shown}.") from None


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, timedelta):
        return str(value.total_seconds())
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
