"""Remedies: values to author for the intended effect in PhysX, tried on the experiment that measured it."""
