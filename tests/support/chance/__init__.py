"""Stages and models made by chance, each a function of its seed."""
