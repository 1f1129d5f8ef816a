"""What test modules share: where things lie, and the type of the command-line fixture."""

from collections.abc import Callable
from pathlib import Path

from click.testing import Result

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "data"
WORLD = ROOT / "fixtures" / "world"

# Runs a command on the test's store: tracker("load", "labels", path, "--set", "known").
Tracker = Callable[..., Result]
