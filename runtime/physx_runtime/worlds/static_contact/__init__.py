"""Worlds whose links touch what is static alone."""
