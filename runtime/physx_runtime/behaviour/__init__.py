"""Measure a robot's motion to its targets and to rest; judge each joint and test remedies.

`rules` are the family behaviour/... of a check. The catalogue of physx_schema finds them by name, and only a run
imports the step.
"""
