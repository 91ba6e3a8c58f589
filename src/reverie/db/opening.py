"""Opening a database by its URL: which driver speaks to it, and how careful it is."""

from reverie.db.database import Database
from reverie.errors import ConfigError


def open_database(
    url: str,
    *,
    busy_timeout_ms: int = 10_000,
    create: bool = True,
    read_only: bool = False,
    derived: bool = False,
    sparing: bool = False,
) -> Database:
    """Open `sqlite:///path` or `postgresql://…`; without `create` a missing file is an error.

    `read_only` leaves a file exactly as it is, for backups; PostgreSQL does not need it. What is
    `derived` can be made again: a write does not wait for the disk. Who is `sparing` stays for long
    and caches less. `sqlite:///:memory:` is a database of its own that goes with the process.

    Raises:
        ConfigError: another kind of URL.
        Unavailable: the server does not answer, or the driver's package is not installed.
        Refused: the database path is a symbolic link.
        StoreDamaged: the file is not, or no longer, a database.
    """
    scheme, _, rest = url.partition("://")
    if scheme == "sqlite" and rest.startswith("/"):
        from reverie.db.sqlite import SqliteDriver

        driver = SqliteDriver(
            rest[1:],
            busy_timeout_ms,
            create=create,
            read_only=read_only,
            derived=derived,
            sparing=sparing,
        )
        return Database(driver)
    if scheme in {"postgresql", "postgres"}:
        from reverie.db.postgres import PostgresDriver

        return Database(PostgresDriver(url, busy_timeout_ms))
    raise ConfigError(
        f"{scheme or url!r} is not a database URL",
        hint="use sqlite:///absolute/path or postgresql://user@host/name",
    )
