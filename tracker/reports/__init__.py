"""Turns views into reports and rows into text; computes no metrics. Pages are in `pages`."""
