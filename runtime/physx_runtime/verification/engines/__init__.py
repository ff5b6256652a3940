"""Engines other than this runtime that repeat experiments."""
