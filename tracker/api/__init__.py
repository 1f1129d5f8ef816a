"""The Python interface, for notebooks and programs: a store, its slates, and their reports."""
