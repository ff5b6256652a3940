"""Convex cores: shapes known by their farthest points and faces, grown by a margin; what cylinders and cones are.

Everything is in the order of operations of PhysX's plain C++, not of its SSE code.
"""
