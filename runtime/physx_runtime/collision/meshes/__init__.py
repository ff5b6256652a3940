"""Triangle meshes: their triangles in PhysX's order, a search among them, and a shape's contacts with them."""
