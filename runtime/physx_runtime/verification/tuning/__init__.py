"""Gains by intent: which numbers to author so that a drive, a tendon or a mimic joint moves as wished."""
