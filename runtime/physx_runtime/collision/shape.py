"""Arrays in which colliders, pairs of them and contacts are kept: their records, field by field.

All numbers are float32, the precision in which PhysX makes contacts: the last bits choose points.
"""

from __future__ import annotations

import numpy as np

# Kinds of shapes in PhysX's order: of two shapes the one of the lower kind is shape 0 of their pair.
SPHERE, PLANE, CAPSULE, BOX, CYLINDER, CONE, CONVEX, MESH = range(8)
KIND_NAMES = ("sphere", "plane", "capsule", "box", "cylinder", "cone", "convex mesh", "triangle mesh")
RANKS = np.array((0, 1, 2, 3, 4, 4, 5, 6))      # of two shapes of one rank, cylinder and cone too, side 0 has shape 0
EVERY_WORLD = -1
NO_OWNER = -1
ALONE = 0
NO_GEOMETRY = -1
MOST_POINTS = 4     # of a manifold

SHAPE = np.dtype([
    ("kind", "i4"),
    ("body", "i4"),                 # row of `poses`; bodies that forces move come first
    ("world", "i4"),                # shapes of different worlds do not meet; EVERY_WORLD for statics that all share
    ("group", "i4"),                # row of the table of groups that meet
    ("owner", "i4"),                # shapes of one owner do not meet (an articulation's links); NO_OWNER for none
    ("precedence", "i4"),           # of two shapes the lower one is side 0 of the solver, which normals point to
    ("articulation", "i4"),         # counts from 1, in each world: which one's link it is on; ALONE for none
    ("kinematic", "i4"),            # 1: on a kinematic body
    ("created", "i4"),              # counts up in the order in which PhysX creates them
    ("material", "i4"),
    ("position", "f4", 3),          # in the frame of its body, of a link its mass frame; x along axis or plane's normal
    ("rotation", "f4", 4),          # x y z w, as the engine has it: a plane's is not quite of unit length
    ("size", "f4", 3),              # half extents; radius; radius, half height
    ("geometry", "i4"),             # of a hull or a mesh: its row in the table of its kind; NO_GEOMETRY for the others
    ("scale", "f4", 3),             # and what multiplies it along its axes, above 0
    ("contact_offset", "f4"),
    ("rest_offset", "f4"),
])

FREE = -1
TO_SEARCH = -1      # in `warm` of a pair: its faces make no contact, and yet nothing parts the shapes

PAIR = np.dtype([
    ("shape0", "i4"),               # of the lower kind, of equal ones that of side 0; FREE in a free place of the table
    ("shape1", "i4"),
    ("swapped", "i4"),              # 1: side 0 of the solver owns shape 1
    ("reach", "f4"),                # a point further apart gives no contact: the sum of the contact offsets
    ("rest", "f4"),                 # the sum of the rest offsets
    ("tolerance_length", "f4"),     # as of PairTable
    ("born", "i8"),                 # counts up in the order in which bounds met; no two pairs share one, ever
    ("slot", "i4"),                 # its place in PhysX's pool of contact managers
    ("following", "i4"),            # the next pair of the same moving shape, or FREE
    ("touching", "i4"),             # 1 while it has contacts
    ("first", "i4"),                # its contacts of this step: row of the first one
    ("contacts", "i4"),             # and how many
    ("manifolds", "i4"),            # of a pair with a mesh its row of the table of those (meshes/manifolds.py)
    # its manifold: points kept between steps, and the poses of their last rebuilding
    ("known", "i4"),                # 1 once those poses are known
    ("points", "i4"),
    ("local0", "f4", (MOST_POINTS, 3)),         # points in the frame of shape 0; of a plane's pair shape 0 is the other
    ("local1", "f4", (MOST_POINTS, 3)),
    ("normal", "f4", (MOST_POINTS, 3)),         # in the frame of shape 1, towards shape 0
    ("distance", "f4", MOST_POINTS),
    ("position", "f4", 3),          # of shape 0 in shape 1
    ("rotation", "f4", 4),
    ("rotation0", "f4", 4),         # of both shapes in the world
    ("rotation1", "f4", 4),
    # the corners of both shapes at which the last search for closest points ended, where the next one begins
    ("warm", "i4"),                 # how many
    ("warm0", "i4", 4),
    ("warm1", "i4", 4),
], align=True)

CONTACT = np.dtype([
    ("pair", "i4"),                 # row of the table of pairs
    ("point", "f4", 3),
    ("normal", "f4", 3),            # towards side 0 of the solver
    ("separation", "f4"),           # of the surfaces; the rest distance is not taken off
])
