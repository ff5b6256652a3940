"""Fragments of the schedules of articulations."""
