"""Worlds whose actors touch each other."""
