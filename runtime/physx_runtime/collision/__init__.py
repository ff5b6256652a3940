"""Collision: which colliders PhysX lets meet, and where they touch."""
