"""Verification of joints outside articulations (PxJoint)."""
