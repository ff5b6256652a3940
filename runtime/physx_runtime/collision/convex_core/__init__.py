"""PhysX's convex cores: GJK, EPA and clipping."""
