"""Traced code as CUDA C and cubins."""
