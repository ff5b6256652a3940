"""Engines besides the runtime's own."""
