"""The version of tracker that is installed."""

from importlib.metadata import version

VERSION = version("slate-tracker")
