"""Lints the files of sql/ that changed since they were found clean, on all processors.

What was clean is remembered by the hash of its text, with sqlfluff's version and settings, in
build/sql_linted.txt.
"""

import hashlib
import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLEAN = ROOT / "build" / "sql_linted.txt"


def main() -> int:
    """Return sqlfluff's exit code for what changed."""
    # The last tables of the file.
    rules = (ROOT / "pyproject.toml").read_text("utf-8").partition("[tool.sqlfluff")[2]
    settings = metadata.version("sqlfluff") + rules
    hashes = {
        path: hashlib.sha256((settings + path.read_text("utf-8")).encode()).hexdigest()
        for path in sorted((ROOT / "sql").rglob("*.sql"))
    }
    known = set(CLEAN.read_text("utf-8").split()) if CLEAN.exists() else set()
    changed = [str(path) for path, digest in hashes.items() if digest not in known]
    sys.stdout.write(f"sqlfluff: {len(changed)} of {len(hashes)} files are not known as clean\n")
    sys.stdout.flush()
    if changed:
        program = str(Path(sys.executable).with_name("sqlfluff"))
        words = [program, "lint", "--processes", "0", *changed]
        code = subprocess.run(words, cwd=ROOT, check=False).returncode  # noqa: S603 - files of ours
        if code:
            return code
    CLEAN.parent.mkdir(exist_ok=True)
    CLEAN.write_text("\n".join(sorted(hashes.values())) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
