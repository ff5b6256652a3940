"""Worlds whose links touch static shapes only."""
