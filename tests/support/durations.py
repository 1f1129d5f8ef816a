"""Remembers in pytest's cache what each test took, so that tests/reach.py can fill a minute."""

import pytest

# Fixtures that take up to a minute: Spark, and the demo's stores.
LONG_TO_MAKE = frozenset({"spark", "demo_registry", "demo_store"})

_KEY = "tracker/durations"

# Seconds of a test's first phase, where fixtures are made, and of the others.
Durations = dict[str, tuple[float, float]]

_measured: dict[str, list[float]] = {}


def known(config: pytest.Config) -> Durations:
    """Return what earlier runs measured, by the identifier of the test."""
    stored = config.cache.get(_KEY, {}) if config.cache else {}
    return {name: (float(setup), float(rest)) for name, (setup, rest) in stored.items()}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    spent = _measured.setdefault(report.nodeid, [0.0, 0.0])
    spent[report.when != "setup"] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Add what this run measured; the workers of a run leave that to the one that began them."""
    config = session.config
    if config.cache and _measured and not hasattr(config, "workerinput"):
        rounded = {name: [round(one, 3) for one in spent] for name, spent in _measured.items()}
        config.cache.set(_KEY, {**config.cache.get(_KEY, {}), **rounded})
