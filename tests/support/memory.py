"""Commands in processes of their own, whose memory is measured."""

import subprocess
import sys
from pathlib import Path

from bench import Bench

# An interpreter with everything imported takes some 300 MB.
MAX_BYTES = 700 * 1024**2
MAX_SECONDS = 60
# Runs a command and prints the memory it took at most. A process is charged with the memory of the
# one that started it, so a small one starts the command.
MEASURED = """
import resource, subprocess, sys
program = "from tracker.cli import main; main()"
done = subprocess.run([sys.executable, "-c", program, *sys.argv[1:]])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


def refused_in_little_memory(
    bench: Bench, path: Path, *command: object, most_bytes: int = MAX_BYTES
) -> str:
    """Run a command that must refuse a file in little memory; return its complaint."""
    words = ["--db", bench.db, *command]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=MAX_SECONDS,
    )
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith(f"error: {path.name}")
    # Kilobytes, but on macOS bytes.
    assert int(done.stdout) * (1 if sys.platform == "darwin" else 1024) < most_bytes
    return done.stderr
