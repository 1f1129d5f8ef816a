"""ClinicalTrials.gov: its studies read and ingested."""
