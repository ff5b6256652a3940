"""Tuning: gains to author so that a drive, a tendon or a mimic joint reaches its target motion."""
