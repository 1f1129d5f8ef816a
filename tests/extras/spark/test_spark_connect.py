"""Spark on a server, reached by Spark Connect: what it answers is what DuckDB answers."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from bench import Bench

from tracker.errors import TrackerError
from tracker.extras.spark import sessions

pytestmark = pytest.mark.slow

_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
_ADDRESS = "127.0.0.1"


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Yield the address of a server and its process, or skip where none can run."""
    try:
        sessions.require(sessions.LOCAL)
    except TrackerError as error:
        pytest.skip(str(error))
    found = find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    folder = tmp_path_factory.mktemp("server")
    with socket.socket() as free:
        free.bind((_ADDRESS, 0))
        port = free.getsockname()[1]
    settings = {
        "spark.connect.grpc.binding.address": _ADDRESS,
        "spark.connect.grpc.binding.port": str(port),
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
    }
    words = [str(Path(found.origin).parent / "bin" / "spark-submit"), "--master", "local[2]"]
    words += ["--driver-memory", "1g", "--class", _SERVER]
    for name, value in settings.items():
        words += ["--conf", f"{name}={value}"]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            [*words, "spark-internal"], stdout=log, stderr=log, cwd=folder, start_new_session=True
        ) as process,
    ):
        try:
            until = time.monotonic() + 120
            while not _answers(port):
                assert process.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < until, (folder / "log").read_text()
                time.sleep(0.5)
            yield f"sc://{_ADDRESS}:{port}", process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _answers(port: int) -> bool:
    try:
        socket.create_connection((_ADDRESS, port), 1).close()
    except OSError:
        return False
    return True


def _run(bench: Bench, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in its own process: one that already runs a Spark would use that."""
    command = [sys.executable, "-c", "from tracker.cli import main; main()", "--db", str(bench.db)]
    return subprocess.run([*command, *words], capture_output=True, text=True, timeout=300)


def test_a_server_answers_as_duckdb_does(
    bench: Bench, server: tuple[str, subprocess.Popen[bytes]]
) -> None:
    address, process = server
    sets = ("--candidates", "base", "--labels", "known", "--format", "json")
    done = _run(bench, "spark", "evaluate", *sets, "--master", address)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == bench.accept("retrospective", "evaluate", *sets)

    chosen = ("--candidates", "base", "--labels", "known")
    done = _run(bench, "spark", "freeze", *chosen, "--master", address)
    # The doubt that a freeze without Spark has, too.
    assert done.returncode == 0
    assert done.stderr.startswith("every candidate is predicted, so that little is left to")
    assert len(done.stderr.splitlines()) == 1
    bench.accept("check")

    os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)
    gone = _run(bench, "spark", "freeze", *chosen, "--master", address)
    assert gone.stderr == f"error: --master {address}: nobody answers there\n"
