"""Formats in which `simulate --out` writes a motion: each file here has a list `FORMATS`."""
