"""PhysX's persistent contact manifold: GJK and EPA in single precision."""
