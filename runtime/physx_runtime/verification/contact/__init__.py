"""Experiments on what materials do where they meet: a slope, a drop, impacts."""
