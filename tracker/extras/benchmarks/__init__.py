"""Benchmarks: definitions, the gate submissions pass, frozen submissions, their scores."""
