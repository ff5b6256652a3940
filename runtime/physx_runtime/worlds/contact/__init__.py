"""Worlds with contacts between actors."""
