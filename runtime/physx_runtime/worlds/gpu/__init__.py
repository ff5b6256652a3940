"""Worlds on a GPU."""
