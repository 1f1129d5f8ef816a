"""The log: what it covers, how it is sealed, and what proves a row, a date or its growth.

It knows tables and a connection, and nothing of how a store is opened: the store seals through it.
"""
