"""Contacts of convex cores (PhysX PxConvexCoreGeometry): support points, GJK, EPA and clipping."""
