"""Fingerprint of results: digests that a change of names, files or layers must leave as they are."""
