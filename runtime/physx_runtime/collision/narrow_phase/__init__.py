"""Narrow phase: contacts of one pair of shapes, for each pair of kinds (PhysX GuPCM).

Each function takes the record of a pair, size and pose of both shapes, the array of contacts and its next free row. It
writes points, normals towards shape 0 and separations, and returns the next free row.
"""
