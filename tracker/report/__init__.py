"""Turns views into a report and rows into text; computes no metrics."""
