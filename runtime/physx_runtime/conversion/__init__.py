"""Robots in URDF and MJCF to stages that PhysX simulates as their authors mean them.

A converter makes the stage. `robot.convert` then repairs its base, its start and its self-collision, and adds drives
and a ground where they are asked for.
"""
