"""Experiments on articulations by class of constraint: drives, joint axes, tendons and mimic joints."""
