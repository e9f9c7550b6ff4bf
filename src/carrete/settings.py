"""The machine's settings, from the environment, `.env` and `carrete.toml`, checked once at the start. A wrong one gives
one sentence. What the shop decides about itself is in the ledger (`carrete.shop_settings`), unless it is given here."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import AliasChoices, Field, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from carrete import env_file, toml_file
from carrete.address_checks import require_postgres, require_redis, require_web
from carrete.addresses import without_secrets
from carrete.domain.shop import Shop
from carrete.settings_file import WrongSettingsFile

DATA_DEFAULT = Path("data")
LEDGER_FILE = "carrete.db"
BACKUPS_FOLDER = "backups"
_HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*")
ADDRESSES = ("DATABASE_URL", "REDIS_URL", "CARRETE_CONFLICT_WEBHOOK", "CARRETE_SHEETS_URL")

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
Access = Literal["pin", "device", "open"]


class WrongSetting(Exception):
    """The message names the setting, what is wrong with it, and which values are allowed."""


class Settings(BaseSettings):
    model_config = SettingsConfigDict(frozen=True, populate_by_name=True)

    data: Path = Field(default=DATA_DEFAULT, validation_alias=AliasChoices("CARRETE_DATA", "data"))
    # repr=False: a traceback or log line that shows the settings must not show a password.
    database_url: str = Field(default="", repr=False, validation_alias=AliasChoices("DATABASE_URL", "database_url"))
    redis_url: str = Field(default="embedded", repr=False, validation_alias=AliasChoices("REDIS_URL", "redis_url"))
    redis_max_connections: int = Field(
        default=50, ge=1, le=10_000, validation_alias=AliasChoices("REDIS_MAX_CONNECTIONS", "redis_max_connections")
    )
    google_sheet_id: str = Field(default="", validation_alias=AliasChoices("GOOGLE_SHEET_ID", "google_sheet_id"))
    google_credentials: str = Field(
        default="", validation_alias=AliasChoices("GOOGLE_APPLICATION_CREDENTIALS", "google_credentials")
    )
    sheets_url: str = Field(default="", repr=False, validation_alias=AliasChoices("CARRETE_SHEETS_URL", "sheets_url"))
    timezone: str = Field(default="America/Santiago", validation_alias=AliasChoices("CARRETE_TIMEZONE", "timezone"))
    arm_only_types: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset({"FW"}), validation_alias=AliasChoices("CARRETE_ARM_ONLY_TYPES", "arm_only_types")
    )

    hosts: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(), validation_alias=AliasChoices("CARRETE_HOSTS", "hosts")
    )
    mdns: bool = Field(
        default=True, validation_alias=AliasChoices("CARRETE_MDNS", "mdns")
    )  # with `serve --lan`, the name carrete.local by multicast DNS
    streams_per_address: int = Field(
        default=200,
        ge=1,
        le=100_000,
        validation_alias=AliasChoices("CARRETE_STREAMS_PER_ADDRESS", "streams_per_address"),
    )
    conflict_webhook: str = Field(
        default="", repr=False, validation_alias=AliasChoices("CARRETE_CONFLICT_WEBHOOK", "conflict_webhook")
    )

    access: Access = Field(default="pin", validation_alias=AliasChoices("CARRETE_ACCESS", "access"))
    idle_s: int = Field(
        default=300, ge=1, le=43_200, validation_alias=AliasChoices("CARRETE_IDLE_S", "idle_s")
    )  # after this a session must be unlocked with the PIN

    backup_dir: str = Field(
        default="", validation_alias=AliasChoices("CARRETE_BACKUP_DIR", "backup_dir")
    )  # empty: `backups` in the data folder
    timestamp_url: str = Field(default="", validation_alias=AliasChoices("CARRETE_TIMESTAMP_URL", "timestamp_url"))
    log_level: LogLevel = Field(default="INFO", validation_alias=AliasChoices("CARRETE_LOG_LEVEL", "log_level"))

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *others: Any, **named: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only the values that `load` passes in: pydantic would also read LOG_LEVEL or HOSTS of other programs."""
        del settings_cls, others, named
        return (init_settings,)

    @field_validator("conflict_webhook", "sheets_url")
    @classmethod
    def _web_address(cls, url: str) -> str:
        if url:
            require_web(url)
        return url

    @field_validator("database_url")
    @classmethod
    def _known_engine(cls, url: str) -> str:
        if url.startswith("postgres://"):
            url = "postgresql://" + url.removeprefix("postgres://")
        if url and not url.startswith(("postgresql://", "sqlite:///")):
            raise ValueError("must be empty, sqlite:///path/to/file.db or postgresql://user@host/database")
        if url.startswith("postgresql://"):
            require_postgres(url)
        return url

    @field_validator("redis_url")
    @classmethod
    def _known_redis(cls, url: str) -> str:
        if url not in ("embedded", "off"):
            require_redis(url)
        return url

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper_case(cls, value: Any) -> Any:
        return value.strip().upper() if isinstance(value, str) else value

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            raise ValueError("must be a time zone such as America/Santiago") from None
        return name

    @field_validator("hosts", mode="before")
    @classmethod
    def _host_names(cls, value: Any) -> Any:
        """`carrete.taller.cl 192.168.1.20`, with blanks or commas between them."""
        if isinstance(value, str):
            return frozenset(_host_name(word) for word in value.replace(",", " ").split())
        return value

    @field_validator("arm_only_types", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        """`FW,BR` or `FW BR`; empty means that every joint is welded."""
        if isinstance(value, str):
            return frozenset(word.upper() for word in value.replace(",", " ").split())
        return value

    @property
    def backup_folder(self) -> Path:
        return Path(self.backup_dir) if self.backup_dir else self.data / BACKUPS_FOLDER

    @property
    def ledger_url(self) -> str:
        return self.database_url or f"sqlite:///{self.data / LEDGER_FILE}"

    @property
    def ledger_file(self) -> Path | None:
        """None for PostgreSQL."""
        scheme, _, path = self.ledger_url.partition(":///")
        return Path(path) if scheme == "sqlite" else None

    @property
    def shop(self) -> Shop:
        return Shop(ZoneInfo(self.timezone), self.arm_only_types, confirmed_roles_only=self.access != "open")


def _host_name(word: str) -> str:
    """The form that browsers send: lower case, no final dot, no brackets around an IPv6 address."""
    bare = word.lower().removesuffix(".").removeprefix("[").removesuffix("]")
    with suppress(ValueError):
        return str(ip_address(bare))
    try:
        name = bare.encode("idna").decode()
    except UnicodeError:
        name = ""
    if not _HOST_NAME.fullmatch(name):
        raise ValueError("must be names or addresses without port, such as carrete.taller.cl 192.168.1.20")
    return name


def load() -> Settings:
    """From the environment; for settings that it lacks, from `.env` in the working directory; for those that both lack,
    from `carrete.toml` in CARRETE_DATA."""
    known = {alias for info in Settings.model_fields.values() for alias in _names(info)}
    try:
        given = {**env_file.read(), **{name.upper(): value for name, value in os.environ.items()}}
        given = {**toml_file.read(Path(given.get(toml_file.DATA, DATA_DEFAULT)), known), **given}
    except WrongSettingsFile as error:
        raise WrongSetting(str(error)) from None
    try:
        return Settings(**{name: value for name, value in given.items() if name in known})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "?"
        value = str(first["input"])
        reason = first["msg"].removeprefix("Value error, ")
        raise WrongSetting(f"{name}={without_secrets(value) if name in ADDRESSES else value}: {reason}.") from None


def setting_name(field: str) -> str:
    """The name in the environment of a field of `Settings`."""
    return _names(Settings.model_fields[field])[0]


def _names(info: FieldInfo) -> list[str]:
    """The names that a setting has in the environment."""
    assert isinstance(info.validation_alias, AliasChoices)
    return [name for name in info.validation_alias.choices if isinstance(name, str) and name.isupper()]
