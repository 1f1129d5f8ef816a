"""Lints the files of sql/ that changed since they were found clean, on all processors.

What was clean is remembered by the hash of its text, with sqlfluff's version and settings, in
build/sql_linted.txt.
"""

import hashlib
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLEAN = ROOT / "build" / "sql_linted.txt"


def main() -> int:
    """Return sqlfluff's exit code for what changed."""
    toml = (ROOT / "pyproject.toml").read_text("utf-8")
    # The last tables of the file.
    settings = metadata.version("sqlfluff") + toml.partition("[tool.sqlfluff")[2]
    hashes = {
        path: hashlib.sha256((settings + path.read_text("utf-8")).encode()).hexdigest()
        for path in sorted((ROOT / "sql").rglob("*.sql"))
    }
    known = set(CLEAN.read_text("utf-8").split()) if CLEAN.exists() else set()
    changed = [path for path, digest in hashes.items() if digest not in known]
    sys.stdout.write(f"sqlfluff: {len(changed)} of {len(hashes)} files are not known as clean\n")
    sys.stdout.flush()
    # What a file inlines reads its CTEs, out of sqlfluff's sight.
    inlining = {path for path in changed if "-- Inlines:" in path.read_text("utf-8")}
    excluded = ",".join(tomllib.loads(toml)["tool"]["sqlfluff"]["core"]["exclude_rules"])
    for paths, rules in (
        ({*changed} - inlining, excluded),
        (inlining, f"{excluded},structure.unused_cte"),
    ):
        program = str(Path(sys.executable).with_name("sqlfluff"))
        words = [program, "lint", "--processes", "0", "--exclude-rules", rules]
        if paths and (code := subprocess.run([*words, *sorted(paths)], cwd=ROOT).returncode):  # noqa: S603 - files of ours
            return code
    CLEAN.parent.mkdir(exist_ok=True)
    CLEAN.write_text("\n".join(sorted(hashes.values())) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
