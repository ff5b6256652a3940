"""Stages on which the reader is held against real PhysX, field by field, by theme."""
