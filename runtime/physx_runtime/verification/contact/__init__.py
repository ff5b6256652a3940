"""Experiments on contact materials: slopes, drops and impacts."""
