"""Limits under the loads of the stage: its own motion, and what it makes of limits that hold on the bench."""
