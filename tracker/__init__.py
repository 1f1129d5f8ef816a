"""Honest prospective evaluation of drug repurposing predictions on a DuckDB store."""

from importlib.metadata import version

__version__ = version("slate-tracker")
