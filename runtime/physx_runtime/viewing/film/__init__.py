"""Recordings as films."""
