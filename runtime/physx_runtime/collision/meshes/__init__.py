"""Triangle meshes of colliders: tables, bounding volume hierarchy in PhysX's order, and active edges."""
