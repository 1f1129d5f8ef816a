"""The FDA: its approvals read and ingested."""
