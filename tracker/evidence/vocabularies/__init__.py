"""Vocabularies of diseases and drugs: terms, names, parents and mappings, read and ingested."""
