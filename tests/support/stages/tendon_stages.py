"""Stages with tendons and mimic joints: trees of links on a fixed base, written from parts.

Stages of one articulation whose joints all have drives, limits, friction and armature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom

from physx_schema import authoring
from support.stages.robots import HEAD, base, joint, link, placed, prim

Part = tuple[tuple[str, ...], dict[str, object]]        # applied schemas, attributes

SCENE = prim("PhysicsScene", "Scene", ("PhysxSceneAPI",), {
    "vector3f physics:gravityDirection": (0, 0, -1), "float physics:gravityMagnitude": 2.0,
    "bool physxScene:enableGPUDynamics": False, "uniform token physxScene:broadphaseType": "MBP"})
COUPLED = 0.7       # armature: without it sliders on one base do not feel each other, and order means nothing
LEVER = 0.3         # length of a hinged link
NAMES = ("K", "Z", "_x", "a", "aa", "b10", "b2", "k", "m", "z")    # sorted as plain strings


def both(*parts: Part) -> Part:
    """Parts joined."""
    return tuple(s for part in parts for s in part[0]), {k: v for part in parts for k, v in part[1].items()}


def axis(name: str = "t", root: bool = False, gearing: object = None, force: object = None, **values: float) -> Part:
    """An axis of a fixed tendon; gearing and force are arrays."""
    arrays = {f"float[] physxTendon:{name}:{key}": value
              for key, value in (("gearing", gearing), ("forceCoefficient", force)) if value is not None}
    return (f"PhysxTendonAxis{'Root' if root else ''}API:{name}",), {**arrays, **_floats(f"physxTendon:{name}", values)}


def attachment(name: str, x: float, parent: tuple[str, str] | None = None, leaf: bool = False, z: float = 0.0,
               **values: float) -> Part:
    """An attachment at (x, 0, z); parent is (link path below the robot, name), None for a root."""
    own: dict[str, object] = {f"point3f physxTendon:{name}:localPos": (x, 0.0, z)}
    if parent:
        own[f"rel physxTendon:{name}:parentLink"] = f"</Robot/{parent[0]}>"
        own[f"token physxTendon:{name}:parentAttachment"] = parent[1]
    kind = "Root" if parent is None else "Leaf" if leaf else ""
    return (f"PhysxTendonAttachment{kind}API:{name}",), {**own, **_floats(f"physxTendon:{name}", values)}


def mimic(reference: str, **values: float) -> Part:
    """A mimic joint on /Robot/<reference>, with the wide limits it needs."""
    own: dict[str, object] = {"rel physxMimicJoint:rotX:referenceJoint": f"</Robot/{reference}>"}
    return both(LIMITS, (("PhysxMimicJointAPI:rotX",), {**own, **_floats("physxMimicJoint:rotX", values)}))


def drive(token: str, target: float) -> Part:
    """A soft damped drive."""
    return (f"PhysicsDriveAPI:{token}",), _floats(
        f"drive:{token}:physics", {"stiffness": 3.0, "damping": 1.0, "targetPosition": target})


def _floats(prefix: str, values: Mapping[str, float]) -> dict[str, object]:
    return {f"float {prefix}:{name}": float(value) for name, value in values.items()}


LIMITS: Part = ((), {"float physics:lowerLimit": -300.0, "float physics:upperLimit": 300.0})


@dataclass
class Tree:
    """Links by name, each with the name of its parent ("" is the base); joint j<name> moves link <name>."""

    parents: dict[str, str]
    joints: dict[str, Part] = field(default_factory=dict)
    links: dict[str, Part] = field(default_factory=dict)        # "" is the base
    kinds: dict[str, str] = field(default_factory=dict)         # "Prismatic" along x where not given
    scopes: dict[str, str] = field(default_factory=dict)        # prim between the robot and a link and its joint
    start: dict[str, float] = field(default_factory=dict)       # by link name, rad or length

    def path(self, name: str) -> str:
        """Path of a link below the robot."""
        return "/".join(filter(None, (self.scopes.get(name, ""), name or "base")))

    def text(self) -> str:
        """The stage."""
        schemas, attributes = self.links.get("", ((), {}))
        parts = [base() if not schemas else
                 link("base", schemas=schemas, more=attributes) + joint("Fixed", "anchor", "", "base")]
        for i, (name, parent) in enumerate(self.parents.items()):
            own = self._link(name, 1.0 + 0.3 * i) + self._joint(name, parent)
            scope = self.scopes.get(name, "")
            parts.append(prim("Xform", scope, children=own) if scope else own)
        counts = {"int physxArticulation:solverPositionIterationCount": 4,
                  "int physxArticulation:solverVelocityIterationCount": 1}
        robot = prim("Xform", "Robot", ("PhysicsArticulationRootAPI", "PhysxArticulationAPI"), counts, "".join(parts))
        return HEAD.format(meters=1.0, kilograms=1.0) + SCENE + robot

    def _link(self, name: str, mass: float) -> str:
        schemas, attributes = self.links.get(name, ((), {}))
        still = _floats("physxRigidBody", {"linearDamping": 0.1, "angularDamping": 0.1})
        return link(name, schemas=("PhysxRigidBodyAPI", *schemas), mass=mass,
                    more={**placed((0, 0, self._height(name))), **still, **attributes})

    def _height(self, name: str) -> float:
        """Where the joints put a link at rest."""
        return self._height(self.parents[name]) - LEVER * self._hinged(name) if name else 0.0

    def _hinged(self, name: str) -> bool:
        return self.kinds.get(name) == "Revolute"

    def _joint(self, name: str, parent: str) -> str:
        kind = self.kinds.get(name, "Prismatic")
        token = "angular" if self._hinged(name) else "linear"
        schemas, attributes = self.joints.get(name, ((), {}))
        own: dict[str, object] = {f"float physxJointAxis:{token}:armature": COUPLED}
        if kind != "Fixed":
            own["uniform token physics:axis"] = "Y" if self._hinged(name) else "X"
        if self._hinged(name):
            own["point3f physics:localPos1"] = (0, 0, LEVER)
        return joint(kind, f"j{name}", self.path(parent), self.path(name),
                     (*schemas, *([f"PhysxJointAxisAPI:{token}"] if kind != "Fixed" else [])), {**own, **attributes})


def random_tree(seed: int) -> Tree:
    """A tree with axes, attachments and mimic joints in random places, many of which PhysX drops."""
    random = np.random.default_rng(seed)
    names = [str(name) for name in random.permutation(NAMES)[:6]]
    tree = Tree({name: "" if i == 0 else names[int(random.integers(max(0, i - 2), i))] for i, name in enumerate(names)})
    for i, name in enumerate(names):
        tree.kinds[name] = str(random.choice(["Prismatic", "Revolute", "Fixed"], p=[0.5, 0.4, 0.1]))
        tree.scopes[name] = f"{random.choice(['S', 'p', 'zz'])}{i}" if random.random() < 0.5 else ""
        parts = [_random_axis(random, tendon, tree.kinds[name]) for tendon in ("t", "K") if random.random() < 0.7]
        tree.joints[name] = both(*parts) if tree.kinds[name] == "Fixed" else both(LIMITS, *parts)
        tree.start[name] = float(random.uniform(-0.2, 0.2))
    _add_attachments(random, tree)
    moving = [name for name in names if tree.kinds[name] != "Fixed"]
    for name in moving:
        reference = str(random.choice(moving))
        if reference != name and random.random() < 0.2:
            unit = _turn(tree.kinds[name]) / _turn(tree.kinds[reference])
            path = "/".join(filter(None, (tree.scopes[reference], f"j{reference}")))
            tree.joints[name] = both(tree.joints[name], mimic(path, gearing=unit * random.uniform(0.5, 1.5)))
    return tree


def _turn(kind: str) -> float:
    """USD units in a radian or a length."""
    return 57.29578 if kind == "Revolute" else 1.0


def _random_axis(random: np.random.Generator, tendon: str, kind: str) -> Part:
    root = bool(random.random() < 0.35) and kind != "Fixed"     # PhysX crashes on a root axis on a fixed joint
    gains = {"stiffness": random.uniform(5, 40), "damping": random.uniform(0.5, 2)} if root else {}
    gearing = float(random.uniform(0.5, 1.5))
    return axis(tendon, root, [gearing / _turn(kind)], [gearing * float(random.uniform(0.7, 1.3))], **gains)


def _add_attachments(random: np.random.Generator, tree: Tree) -> None:
    """Roots, leaves and others on random links, most with a parent that exists."""
    slots = [(name, label) for name in ("", *tree.parents)
             for label in random.permutation(["k", "A", "b"])[:int(random.integers(0, 4))]]
    for name, label in slots:
        x, z = (float(value) for value in random.uniform(-0.5, 0.5, 2))
        owner, of = slots[int(random.integers(len(slots)))]
        parent, kind = (tree.path(owner), str(of) if random.random() < 0.9 else "misspelt"), random.random()
        if kind < 0.3:
            part = attachment(str(label), x - 3.0, z=z, stiffness=random.uniform(2, 10), damping=random.uniform(0.2, 1))
        elif kind < 0.7:
            part = attachment(str(label), x, parent, True, z, gearing=random.uniform(0.6, 1.2),
                              restLength=random.uniform(2, 4))
        else:
            part = attachment(str(label), x, parent, z=z, gearing=random.uniform(0.6, 1.2))
        tree.links[name] = both(tree.links.get(name, ((), {})), part)


# --- driven chains ---------------------------------------------------------------------------------------------------


def empty_world(path: Path) -> tuple[Any, Any]:
    """A new stage in metres with a scene, and the prim /World/art for an articulation on it."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    stage.SetDefaultPrim(stage.DefinePrim("/World", "Xform"))
    stage.DefinePrim("/World/scene", "PhysicsScene")
    return stage, stage.DefinePrim("/World/art", "Xform")


def driven_chain(path: Path, dofs: int) -> None:
    """Write a chain of so many hinges about alternating axes, hanging from the world."""
    _hinged(path, [0.5] * dofs, (0.01, 0.01, 0.005), "XYXZ", -0.1)


def driven_arm(path: Path) -> None:
    """Write an arm of seven hinges that stands on the world."""
    _hinged(path, [1.5 - 0.15 * i for i in range(7)], (0.02, 0.02, 0.01), "ZYXYZYX", 0.3)


def _hinged(path: Path, masses: Sequence[float], inertia: tuple[float, float, float], axes: str, length: float) -> None:
    """Links of these masses [kg] along z, each `length` [m] long, about `axes` in turn."""
    stage, root = empty_world(path)
    below = authoring.rigid_body(stage, "/World/art/base", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 0.0))
    authoring.fixed_joint(stage, "/World/art/anchor", None, below)
    for i, mass in enumerate(masses):
        body = authoring.rigid_body(stage, f"/World/art/link{i}", mass=mass, inertia=inertia,
                                    position=(0.0, 0.0, 0.5 * length + length * i))
        joint = authoring.revolute_joint(stage, f"/World/art/joint{i}", below, body, axis=axes[i % len(axes)],
                                         anchor=(0.0, 0.0, length * i), lower=-120.0, upper=120.0)
        authoring.drive(joint, stiffness=0.5, damping=0.1, max_force=60.0)
        authoring.joint_axis(joint, armature=0.05, static_friction=0.05, dynamic_friction=0.03,
                             viscous_friction=0.0005, max_velocity=400.0)
        below = body
    authoring.articulation_root(root)
    stage.Save()
