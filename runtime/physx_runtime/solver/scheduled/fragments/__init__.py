"""Fragments that schedules of articulations are made of."""
