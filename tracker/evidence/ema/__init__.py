"""EMA: its public table of medicines read and ingested."""
