"""Collision detection: broad phase, narrow phase and persistent contact manifolds, as in PhysX (PCM)."""
