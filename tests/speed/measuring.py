"""What the scripts of this folder share: their options, what they print, and the peak of memory."""

import argparse
import resource


def read_options(usage: str | None, **defaults: object) -> argparse.Namespace:
    """Read the options of a script, each of its default's type; a list takes several values."""
    parser = argparse.ArgumentParser(
        description=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in defaults.items():
        if default is False:
            parser.add_argument(f"--{name}", action="store_true")
        elif isinstance(default, list):
            parser.add_argument(f"--{name}", type=type(default[0]), nargs="+", default=default)
        else:
            parser.add_argument(f"--{name}", type=type(default), default=default)
    return parser.parse_args()


def say(line: str) -> None:
    """Print a line at once, so that whoever waits sees it."""
    print(line, flush=True)  # noqa: T201 - prints what it measures


def peak_memory() -> str:
    """Return the most memory that this process had."""
    return f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2:.1f} GB"
