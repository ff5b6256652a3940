"""Bodies that turn slowly, with orientations in single precision, and prims nested far out on them."""

from __future__ import annotations

import numpy as np

from support.stages.iteration_stages import prim as body_prim
from support.stages.iteration_stages import stage

DT = 1 / 60
FAR = 3.0           # m: what a turn moves most
BODY, TIP = "/Base/Bar", "/Base/Bar/tip"
SMALL = (1e-6, 1e-3)        # rad that a body has turned by after STEPS: from below what float32 shows to above it
STEPS = 30


def slow_turn(seed: int) -> str:
    """A weightless body below a placed prim, scaled or not, that turns by a small angle about any axis."""
    random = np.random.default_rng([seed, 11])
    axis = random.normal(size=3)
    axis /= np.linalg.norm(axis)
    angle = float(np.exp(random.uniform(*np.log(SMALL))))
    rate = np.degrees(angle / (STEPS * DT)) * axis
    turned = random.normal(size=4) if seed % 3 == 0 else np.array([1.0, 0.0, 0.0, 0.0])     # most begin unturned
    quaternion = turned / np.linalg.norm(turned)
    operations = {"double3 xformOp:translate": vector(random.uniform(-1, 1, 3)),
                  "quatf xformOp:orient": vector(quaternion)}
    names = ["xformOp:translate", "xformOp:orient"]
    if seed % 2:
        operations["float3 xformOp:scale"] = vector(np.full(3, random.uniform(0.5, 2.0)))
        names.append("xformOp:scale")
    order = {"uniform token[] xformOpOrder": "[" + ", ".join(f'"{name}"' for name in names) + "]"}
    tip = body_prim("Xform", "tip", "", {"double3 xformOp:translate": vector([FAR, 0, 0]),
                                         "uniform token[] xformOpOrder": '["xformOp:translate"]'})
    bar = body_prim("Xform", "Bar", "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
        "float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)",
        "bool physxRigidBody:disableGravity": "1", "float physxRigidBody:angularDamping": "0",
        "float physxRigidBody:sleepThreshold": "0", "vector3f physics:angularVelocity": vector(rate),
        **operations, **order}, tip)
    base = {"double3 xformOp:translate": vector(random.uniform(-1, 1, 3)),
            "uniform token[] xformOpOrder": '["xformOp:translate"]'}
    return stage(body_prim("Xform", "Base", "", base, bar))


def vector(values: object) -> str:
    return "(" + ", ".join(f"{float(x)!r}" for x in np.asarray(values)) + ")"
