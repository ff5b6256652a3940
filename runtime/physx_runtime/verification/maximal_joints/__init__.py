"""Verification of joints outside articulations."""
