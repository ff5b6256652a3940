"""Persistent contact manifolds (PhysX GuPersistentContactManifold)."""
