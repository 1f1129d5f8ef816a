"""Starts Spark or connects to it, and turns its errors into one line."""

import contextlib
import importlib.util
import logging
import os
import re
import shutil
import socket
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tracker.errors import InputRefused, TrackerError, said

LOCAL = "local[*]"
# The least version for pyspark 4.
_JAVA = 17
_PORTS = {"spark": 7077, "sc": 15002}
_MASTER = re.compile(r"local(\[[\d*]+(,\d+)?\]|-cluster\[\d+,\d+,\d+\])?|yarn|(spark|sc|k8s)://.+")
_PATIENCE_SECONDS = 5.0
_STOPPED = "Spark stopped in the middle; the store is unchanged"
# These allow what DuckDB allows, with instants in UTC.
_SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "false",
    "spark.sql.cteRecursionLevelLimit": "1000",
    "spark.sql.cteRecursionRowLimit": "-1",
    # Else a union of parts with different numbers of partitions fails: "Can't zip RDDs".
    "spark.sql.unionOutputPartitioning": "false",
}
# For some thousand rows, compiling a query takes longer than interpreting it.
_SMALL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.shuffle.partitions": "1",
}
_LARGE = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.codegen.wholeStage": "true",
}


def require(master: str) -> None:
    """Raise TrackerError if `master` is malformed or silent, or a package or Java is missing."""
    if not _MASTER.fullmatch(master):
        raise InputRefused(
            f"--master {master}: is none of local[N], spark://HOST:PORT, sc://HOST:PORT, yarn, "
            "k8s://URL"
        )
    missing = [name for name in ("pyspark", "sqlglot") if importlib.util.find_spec(name) is None]
    if missing:
        raise TrackerError(
            f"Spark needs {' and '.join(missing)}: pip install '.[spark]' in a checkout"
        )
    if not master.startswith("sc://"):
        _require_java()
    scheme, _, place = master.partition("://")
    if scheme in _PORTS:
        _require_answer(master, place, _PORTS[scheme])


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    need = f"Spark needs Java {_JAVA} or later"
    if java is None or not Path(java).exists():
        where = f"there is none in JAVA_HOME, {home}" if home else "there is none"
        raise TrackerError(f"{need}, and {where} (on Debian: apt-get install default-jre-headless)")
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)  # noqa: S603 - the user's own Java
    except (OSError, subprocess.SubprocessError) as error:
        raise TrackerError(f"{need}: {java} does not run: {said(error)}") from error
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    if found is None or int(found[1]) < _JAVA:
        version = f"is Java {found[1]}" if found else "does not say which Java it is"
        raise TrackerError(f"{need}, and {java} {version}")


def _require_answer(master: str, place: str, port: int) -> None:
    for one in re.split(r"[/;]", place)[0].split(","):
        host, _, number = one.partition(":")
        with (
            contextlib.suppress(OSError, ValueError, UnicodeError),
            socket.create_connection((host, int(number or port)), _PATIENCE_SECONDS),
        ):
            return
    raise TrackerError(f"--master {master}: nobody answers there")


@contextlib.contextmanager
def started(master: str, folder: Path, *, is_small: bool) -> Iterator[Any]:
    """Yield an empty Spark session; afterwards stop Spark if it was started here.

    Temporary files are in `folder`; `is_small` tunes the session for little data. If this process
    runs Spark already, that is used, whatever its master. Raises as `require` and `errors`.
    """
    require(master)
    _silence()
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    with errors():
        session = running or _start(SparkSession.builder, master, folder, is_small=is_small)
        own = session if master.startswith("sc://") else session.newSession()
        parallelism = 1 if is_small else _parallelism(session)
        settings = {**_SETTINGS, **(_SMALL if is_small else _LARGE)}
        if not is_small:
            settings["spark.sql.shuffle.partitions"] = str(2 * parallelism)
        for name, value in settings.items():
            own.conf.set(name, value)
    try:
        yield own
    finally:
        if running is None:
            with contextlib.suppress(Exception):
                session.stop()


def _start(builder: Any, master: str, folder: Path, *, is_small: bool) -> Any:
    if master.startswith("sc://"):
        return builder.remote(master).getOrCreate()
    options = {
        "spark.driver.extraJavaOptions": (
            f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').as_uri()}"
            # In a run of some seconds, optimizing takes longer than it saves.
            + (" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC" if is_small else "")
        ),
        "spark.driver.maxResultSize": "0",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if not os.environ.get("SPARK_DRIVER_MEMORY"):
        options["spark.driver.memory"] = "4g"
    from pyspark.accumulators import AccumulatorTCPServer

    # The thread that collects counters prints a traceback when Java is gone.
    AccumulatorTCPServer.handle_error = _say_nothing
    made = builder.master(master).appName("tracker")
    for name, value in options.items():
        made = made.config(name, value)
    with _without_stderr():
        return made.getOrCreate()


def _say_nothing(_server: Any, _request: Any, _address: Any) -> None:
    pass


def _parallelism(session: Any) -> int:
    try:
        return int(session.sparkContext.defaultParallelism)
    except Exception:  # Spark Connect has no context, and says so in its own way
        return 8


def _silence() -> None:
    """Suppress what pyspark and py4j log or warn of besides raising errors."""
    logging.getLogger().addFilter(_is_not_of_py4j)
    logging.getLogger("SQLQueryContextLogger").disabled = True
    logging.getLogger("DataFrameQueryContextLogger").disabled = True
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Return False for records of py4j, which logs a traceback of each error that it raises."""
    return Path(record.pathname).parent.name != "py4j"


@contextlib.contextmanager
def _without_stderr() -> Iterator[None]:
    """Hide standard error, on which a starting Java prints a greeting."""
    kept = os.dup(2)
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 2)
        os.close(nothing)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


class SparkStopped(TrackerError):
    """Spark has stopped and cannot answer any query; exit code 1."""


@contextlib.contextmanager
def errors() -> Iterator[None]:
    """Turn Spark's errors into errors with a message of one line.

    Raises InputRefused for a query that Spark does not accept, SparkStopped if Spark is gone, and
    TrackerError for other errors of Spark.
    """
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import AnalysisException, PySparkException

    try:
        yield
    except AnalysisException as error:
        raise InputRefused(f"the query failed on Spark: {_reason(error)}") from error
    except (PySparkException, Py4JError) as error:
        # An error without Java's trace comes from the connection to Java.
        is_unworded = type(error) is Py4JError and "Trace:" not in str(error)
        if is_unworded or isinstance(error, Py4JNetworkError):
            raise SparkStopped(_STOPPED) from error
        raise TrackerError(f"Spark failed: {_reason(error)}") from error
    except (ConnectionError, EOFError) as error:
        raise SparkStopped(_STOPPED) from error


def _reason(error: Exception) -> str:
    """Return the innermost cause that Java names, else the error's message, in one line."""
    text = str(error)
    causes = re.findall(r"^Caused by: (?:[\w.$]+: )?(.+)$", text, re.MULTILINE)
    chosen = causes[-1] if causes else text
    line = re.sub(r"\s*(SQLSTATE: \w+.*|;\s*line \d+ pos \d+.*)$", "", said(chosen))
    return line.strip()
