"""PostgreSQL and MariaDB servers of a test's own, on a socket, with the tables of a ChEMBL dump.

They are Debian's packages postgresql and mariadb-server; where these are not installed, `missing`
says so. Neither runs as root: a server started by root runs as the user of its package.
"""

import getpass
import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

_START_SECONDS = 60
_CHUNK_ROWS = 5_000


@dataclass
class Server:
    """A running server: the URL of its database for a user who may only read, and its process."""

    url: str
    owner_url: str
    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        """End the server at once, as a power failure would."""
        self.process.kill()
        self.process.wait()


def missing(kind: str) -> str | None:
    """Return why a kind of server cannot be started, None if it can."""
    program = shutil.which(_postgres("initdb") if kind == "postgresql" else "mariadbd")
    return None if program else f"Debian's package for {kind} is not installed"


@contextmanager
def running(kind: str, folder: Path) -> Iterator[Server]:
    """Start a server with its files in an empty folder; it is killed at the end."""
    folder.mkdir(exist_ok=True)
    start = _start_postgresql if kind == "postgresql" else _start_mariadb
    server = start(folder)
    try:
        yield server
    finally:
        server.kill()


def fill(server: Server, dump: Path) -> None:
    """Copy every table of a SQLite file into a server's database."""
    metadata = sa.MetaData()
    source = sa.create_engine(f"sqlite:///{dump}")
    target = sa.create_engine(server.owner_url)
    metadata.reflect(source)
    for table in metadata.tables.values():
        for column in table.columns:
            column.type = _portable(column.type)
            column.autoincrement = False
    metadata.create_all(target)
    with source.connect() as reader, target.begin() as writer:
        for table in metadata.sorted_tables:
            rows = reader.execute(sa.select(table)).mappings()
            for chunk in rows.partitions(_CHUNK_ROWS):
                writer.execute(table.insert(), [dict(row) for row in chunk])
        for statement in _grants(server):
            writer.exec_driver_sql(statement)
    source.dispose()
    target.dispose()


def _portable(kind: sa.types.TypeEngine[Any]) -> sa.types.TypeEngine[Any]:
    """Return the type that a server has for one of SQLite."""
    if isinstance(kind, sa.String):
        return sa.String(min(kind.length or 4_000, 4_000))
    return sa.String(40) if isinstance(kind, sa.DateTime) else kind


def _grants(server: Server) -> Sequence[str]:
    if server.url.startswith("postgresql"):
        return [
            "create role reader login",
            "grant usage on schema public to reader",
            "grant select on all tables in schema public to reader",
        ]
    return ["create user reader", "grant select on chembl.* to reader", "flush privileges"]


def _start_postgresql(folder: Path) -> Server:
    user, command = _as_user("postgres", folder)
    data, place = folder / "data", folder / "socket"
    place.mkdir()
    _own(place, user)
    subprocess.run(
        [*command, _postgres("initdb"), "-D", data, "-A", "trust", "-U", "owner", "-E", "UTF8"],
        check=True,
        capture_output=True,
    )
    process = subprocess.Popen(
        [*command, _postgres("postgres"), "-D", data, "-k", place, "-c", "listen_addresses="],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    database = f"/postgres?host={place}"
    server = Server(
        f"postgresql+psycopg://reader@{database}",
        f"postgresql+psycopg://owner@{database}",
        process,
    )
    _await(server, place / ".s.PGSQL.5432")
    return server


def _start_mariadb(folder: Path) -> Server:
    _, command = _as_user("mysql", folder)
    data, place = folder / "data", folder / "mariadb.sock"
    subprocess.run(
        [
            *command,
            "mariadb-install-db",
            "--no-defaults",
            f"--datadir={data}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ],
        check=True,
        capture_output=True,
    )
    process = subprocess.Popen(
        [
            *command,
            "mariadbd",
            "--no-defaults",
            f"--datadir={data}",
            f"--socket={place}",
            "--skip-networking",
            f"--pid-file={folder / 'pid'}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    options = f"?unix_socket={place}&charset=utf8mb4"
    everything = Server("", f"mysql+pymysql://root@localhost/{options}", process)
    _await(everything, place)
    engine = sa.create_engine(everything.owner_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("create database chembl character set utf8mb4")
    engine.dispose()
    return Server(
        f"mysql+pymysql://reader@localhost/chembl{options}",
        f"mysql+pymysql://root@localhost/chembl{options}",
        process,
    )


def _as_user(name: str, folder: Path) -> tuple[str, list[str]]:
    """Return the user who runs a server, owner of its folder, and what runs a command as him."""
    if os.geteuid() != 0:
        return getpass.getuser(), []
    _own(folder, name)
    for above in folder.parents:
        if above.stat().st_uid == 0 and above.stat().st_mode & 0o001 == 0:
            above.chmod(above.stat().st_mode | 0o011)
    return name, ["setpriv", f"--reuid={name}", f"--regid={name}", "--clear-groups", "--"]


def _own(folder: Path, user: str) -> None:
    entry = pwd.getpwnam(user)
    os.chown(folder, entry.pw_uid, entry.pw_gid)


def _postgres(program: str) -> str:
    """Return the path of a program of PostgreSQL's newest version, which Debian has in no PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    return str(found[-1]) if found else program


def _await(server: Server, place: Path) -> None:
    """Wait until a server answers at its socket and lets its owner in."""
    until = time.monotonic() + _START_SECONDS
    while not _answers(place):
        if time.monotonic() > until or server.process.poll() is not None:
            server.kill()
            raise RuntimeError(f"the server at {place} does not start")
        time.sleep(0.05)
    engine = sa.create_engine(server.owner_url, poolclass=sa.NullPool)
    while True:
        try:
            with engine.connect():
                return
        except sa.exc.OperationalError:
            if time.monotonic() > until:
                server.kill()
                raise
            time.sleep(0.1)


def _answers(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(place))
        except OSError:
            return False
    return True
