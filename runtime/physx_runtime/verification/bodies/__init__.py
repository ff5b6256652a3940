"""Experiments on bodies and links: mass properties, damping, maximum and initial velocities."""
