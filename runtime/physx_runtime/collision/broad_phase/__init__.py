"""Which pairs of shapes may touch, and in which order."""
