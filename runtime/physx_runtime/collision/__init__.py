"""Collision: which colliders PhysX lets meet."""
