"""Backtests: what a ranker's lists would have achieved, had they been frozen in the past."""
