"""Holm's correction of p values for the number of tests."""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return the p values adjusted by Holm's step-down method (1979), in the order given.

    A missing p value stays missing and is not counted among the tests.
    """
    known = [p for p in p_values if p is not None]
    order = np.argsort(known, kind="stable")
    stepped = np.array(known, dtype=np.float64)[order] * np.arange(len(known), 0, -1)
    adjusted = np.empty(len(known))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(stepped))
    remaining = iter(adjusted.tolist())
    return [None if p is None else next(remaining) for p in p_values]
