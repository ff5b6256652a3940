"""Contacts of one pair of shapes, a file for each pair of kinds.

Each function takes a pair's record, size and pose of shape 0 and of shape 1, the array of contacts and its next free
row; it writes points, normals towards shape 0 and separations, and returns the next free row.
"""
