"""ChEMBL: its releases read and ingested."""
