"""Joints between bodies that are in no articulation's tree."""
