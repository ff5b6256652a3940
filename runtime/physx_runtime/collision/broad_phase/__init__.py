"""Broad phase: pairs of shapes whose bounds overlap, and the order in which PhysX creates them."""
