"""Stages written for tests, as USDA text, and the parts they are written from."""
