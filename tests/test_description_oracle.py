"""The reader against real PhysX on stages of this project (run by `make sweep`)."""

from __future__ import annotations

import importlib
import math
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kinematics import link_poses
from robots import base, joint, link, opened, placed, prim, robot

from physx_schema.description import Articulation, describe

pytestmark = pytest.mark.sweep

RELATIVE = 1e-5         # float32 products inside PhysX
POSITION = 1e-5         # float32 positions of arms of a few units
LARGEST = 1e30          # PhysX stores "no bound" as a float of this size or more
TILT = (0.9238795, 0.0, 0.3826834, 0.0)
TURN = (0.7071068, 0.7071068, 0.0, 0.0)
ROOT_API = "PhysicsArticulationRootAPI"


def frames(pos0: Any = (0, 0, 0), pos1: Any = (0, 0, 0), rot0: Any = (1, 0, 0, 0), rot1: Any = (1, 0, 0, 0),
           axis: str = "X", **values: float) -> dict[str, object]:
    own = {f"float physics:{name}": value for name, value in values.items()}
    return {"point3f physics:localPos0": pos0, "point3f physics:localPos1": pos1, "quatf physics:localRot0": rot0,
            "quatf physics:localRot1": rot1, "uniform token physics:axis": axis, **own}


def scene() -> str:
    values = {"bool physxScene:enableGPUDynamics": False, "uniform token physxScene:broadphaseType": "MBP",
              "float physics:gravityMagnitude": 0.0}
    return prim("PhysicsScene", "scene", ("PhysxSceneAPI",), values)


def stage(*parts: str, **options: Any) -> str:
    return robot(*parts, outside=scene(), **options)


def drive(name: str, kind: str = "force", **values: float) -> dict[str, object]:
    return {f"uniform token drive:{name}:physics:type": kind,
            **{f"float drive:{name}:physics:{key}": value for key, value in values.items()}}


def axis_values(name: str, **values: float) -> dict[str, object]:
    return {f"float physxJointAxis:{name}:{key}": value for key, value in values.items()}


def rich_finger() -> str:
    first = {**frames((1, 0, 0), (-1, 0, 0), TILT, TURN, "Y", lowerLimit=-70.0, upperLimit=80.0),
             **drive("angular", stiffness=3.0, damping=2.0, maxForce=7.0),
             **axis_values("angular", armature=0.5, staticFrictionEffort=5.0, dynamicFrictionEffort=3.0,
                           viscousFrictionCoefficient=0.2, maxJointVelocity=90.0)}
    second = {**frames((0, 1, 0), (0, 0, -1), TURN, TILT, "Z", lowerLimit=-1.0, upperLimit=2.0),
              **drive("linear", "acceleration", stiffness=5.0, damping=1.0),
              **axis_values("linear", armature=0.25, maxJointVelocity=3.0)}
    return stage(
        base(), link("l1", (2, 0, 0)), link("l2", (2, 1, 1)),
        joint("Revolute", "j1", "base", "l1", ("PhysicsDriveAPI:angular", "PhysxJointAxisAPI:angular"), first),
        joint("Prismatic", "j2", "l1", "l2", ("PhysicsDriveAPI:linear", "PhysxJointAxisAPI:linear"), second))


def scaled_arm() -> str:
    links = [link("base", more=placed((0, 0, 0), (2, 2, 2))), link("l1", more=placed((3, 0, 0), (1.5, 1.5, 1.5), TURN)),
             link("l2", more=placed((5, 0, 0), (0.5, 0.5, 0.5)))]
    return stage(*links, joint("Fixed", "anchor", "", "base"),
                 joint("Revolute", "j1", "base", "l1", (), frames((1, 0.5, 0), (-0.5, 0, 0.2), TILT, axis="Z")),
                 joint("Revolute", "j2", "l2", "l1", (), frames((-1, 0, 0), (1, 0, 0.5), TURN, TILT, axis="Y")))


def target_inside_a_link() -> str:
    mount = prim("Xform", "mount", (), placed((0.5, 0.25, 0), (1, 1, 1), TILT))
    return stage(base(), link("l1", (1, 0, 0), children=mount), link("l2", (2, 0, 0)),
                 joint("Revolute", "j1", "base", "l1", (), frames((0.5, 0, 0), (-0.5, 0, 0), axis="Z")),
                 joint("Revolute", "j2", "l1/mount", "l2", (), frames((0.1, 0, 0), (-0.5, 0, 0), TURN, axis="Y")))


def many_siblings() -> str:
    kinds = [("Revolute", "zz", "a1"), ("Revolute", "aa", "z1"), ("Prismatic", "b10", "q10"), ("Prismatic", "b2", "q2"),
             ("Prismatic", "B3", "q3"), ("Spherical", "sp", "sp1"), ("Fixed", "fx", "f1"), ("Revolute", "_u", "u1")]
    return stage(base(), *(link(child, (i, 0, 0)) + joint(kind, name, "base", child, (), frames((i, 0, 0)))
                           for i, (kind, name, child) in enumerate(kinds)))


def chain(count: int, **schemas: tuple[str, ...]) -> list[str]:
    names = "abcdefgh"[:count]
    parts = [link(name, (i, 0, 0), schemas.get(name, ())) for i, name in enumerate(names)]
    return parts + [joint("Revolute", f"j{first}{second}", first, second, (), frames((1, 0, 0), axis="Z"))
                    for first, second in pairwise(names)]


def generic_joint() -> str:
    schemas = ("PhysicsLimitAPI:rotX", "PhysicsLimitAPI:rotY", "PhysicsDriveAPI:rotZ")
    values = {"float limit:rotX:physics:low": 1.0, "float limit:rotX:physics:high": -1.0,
              "float limit:rotY:physics:low": -30.0, "float limit:rotY:physics:high": 40.0,
              "float drive:rotZ:physics:stiffness": 2.0}
    return stage(base(), link("l1"), joint("", "j", "base", "l1", schemas, values))


def solids() -> str:
    shapes = "".join((
        prim("Cube", "c", ("PhysicsCollisionAPI",), {"double size": 1.0, **placed((0.1, 0.2, 0.3), (1, 2, 3), TILT)}),
        prim("Sphere", "s", ("PhysicsCollisionAPI", "PhysicsMassAPI"),
             {"double radius": 0.3, "float physics:density": 500.0, **placed((0.5, 0, 0))}),
        prim("Capsule", "p", ("PhysicsCollisionAPI",), {"double radius": 0.5, "double height": 1.0,
                                                         **placed((0, 1, 0), (1, 1, 2), TURN)}),
        prim("Cylinder", "y", ("PhysicsCollisionAPI", "PhysicsMassAPI"),
             {"double radius": 0.5, "double height": 1.0, "uniform token axis": "X", "float physics:mass": 30.0}),
    ))
    body = prim("Xform", "l1", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"),
                {"point3f physics:centerOfMass": (0.1, -0.2, 0.3), **placed((1, 0, 0), (2, 2, 2))}, shapes)
    return stage(base(), body, joint("Revolute", "j", "base", "l1"))


def refused_limits() -> str:
    low, high, both = {"lowerLimit": -10.0}, {"upperLimit": 10.0}, {"lowerLimit": 30.0, "upperLimit": 20.0}
    sentinel, free = {"lowerLimit": -10.0, "upperLimit": 1e38}, {"lowerLimit": -1e38, "upperLimit": 1e38}
    parts = [base()]
    for i, pair in enumerate((low, high, both, sentinel, free)):
        parts += [link(f"l{i}", (i, 0, 0)), joint("Revolute", f"j{i}", "base", f"l{i}", (), frames((i, 0, 0), **pair))]
    return stage(*parts)


def refused_values() -> str:
    negative = drive("angular", stiffness=3.0, maxForce=-4.0)
    friction = axis_values("angular", staticFrictionEffort=1.0, dynamicFrictionEffort=3.0,
                           viscousFrictionCoefficient=2.0)
    typo = drive("angular", "acelleration", stiffness=-3.0, damping=2.0)
    return stage(base(), link("a"), joint("Revolute", "ja", "base", "a", ("PhysicsDriveAPI:angular",), negative),
                 link("b"), joint("Revolute", "jb", "base", "b", ("PhysxJointAxisAPI:angular",), friction),
                 link("c"), joint("Revolute", "jc", "base", "c", ("PhysicsDriveAPI:angular",), typo))


def nested_bodies() -> str:
    inner = link("inner", (1, 0, 0), children=link("innermost", (1, 0, 0)))
    return stage(link("outer", children=inner),
                 joint("Revolute", "j1", "outer", "outer/inner", (), frames((1, 0, 0), axis="Z")),
                 joint("Revolute", "j2", "outer/inner", "outer/inner/innermost", (), frames((1, 0, 0), axis="Z")))


def branched_floating() -> str:
    return stage(*chain(4), link("e", (2, 1, 0)), joint("Revolute", "jce", "c", "e", (), frames((0, 1, 0), axis="X")))


def excluded_loop() -> str:
    loop = {**frames((-3, 0, 0), axis="Z"), "bool physics:excludeFromArticulation": True}
    return stage(*chain(4), joint("Revolute", "jda", "d", "a", (), loop))


STAGES = {
    "rich_finger": rich_finger(),
    "scaled_arm": scaled_arm(),
    "target_inside_a_link": target_inside_a_link(),
    "many_siblings": many_siblings(),
    "generic_joint": generic_joint(),
    "solids": solids(),
    "refused_limits": refused_limits(),
    "refused_values": refused_values(),
    "nested_bodies": nested_bodies(),
    "branched_floating": branched_floating(),
    "excluded_loop": excluded_loop(),
    "floating_chain": stage(*chain(5)),
    "root_api_on_a_body": stage(*chain(3, c=(ROOT_API,)), schemas=()),
    "root_api_on_the_anchor": stage(*chain(2), joint("Fixed", "anchor", "", "a", (ROOT_API,)), schemas=()),
    "anchored_in_the_middle": stage(*chain(3), joint("Revolute", "anchor", "", "b")),
    "two_anchors": stage(*chain(3), joint("Fixed", "w1", "", "a"),
                         joint("Fixed", "w2", "", "c", (), frames((2, 0, 0)))),
    "disabled_body": stage(link("wall", more={"bool physics:rigidBodyEnabled": False}), *chain(2),
                           joint("Revolute", "hinge", "wall", "a")),
    "centimetres": stage(link("base"), joint("Fixed", "anchor", "", "base"),
                         prim("Xform", "l1", ("PhysicsRigidBodyAPI",), {}, prim(
                             "Cube", "c", ("PhysicsCollisionAPI",), {"double size": 20.0})),
                         joint("Revolute", "j", "base", "l1"), meters=0.01, kilograms=0.5),
}


@pytest.fixture(scope="module")
def measured(oracle_folder: Path) -> dict[str, dict[str, Any]]:
    """What PhysX reports about every stage, without and with a pose of its joints, from one engine process."""
    oracle = importlib.import_module("physx_oracle")
    jobs = [oracle.dyn_job(text) for text in STAGES.values()]
    jobs += [oracle.sim_job(text, 1 / 60, 0, joint_pos0=pose(described(name))) for name, text in STAGES.items()]
    results = oracle.run_jobs(jobs)
    for result, posed in zip(results, results[len(STAGES):], strict=False):
        result["posed"] = posed
    return dict(zip(STAGES, results, strict=False))


@cache
def described(name: str) -> Articulation:
    return describe(opened(STAGES[name])).articulations[0]


def pose(articulation: Articulation) -> np.ndarray:
    """Some coordinates within the limits, different for every joint."""
    wanted = [0.1 + 0.05 * i for i in range(len(articulation.dofs))]
    return np.array([min(max(q, dof.lower), dof.upper) for q, dof in zip(wanted, articulation.dofs, strict=True)])


def bounded(values: Any) -> np.ndarray:
    """Numbers with PhysX's largest floats as infinities."""
    found = np.asarray(values, dtype=float)
    return np.where(np.abs(found) > LARGEST, np.copysign(math.inf, found), found)


@pytest.mark.parametrize("name", STAGES)
def test_links_dofs_and_base_are_those_of_physx(measured: dict[str, dict[str, Any]], name: str) -> None:
    articulation, found = described(name), measured[name]
    assert [link.path for link in articulation.links] == found["link_paths"]
    assert [dof.path for dof in articulation.dofs] == found["dof_paths"]
    assert articulation.fixed_base == bool(found["fixed_base"])


@pytest.mark.parametrize("name", STAGES)
def test_mass_properties_are_those_of_physx(measured: dict[str, dict[str, Any]], name: str) -> None:
    links, found = described(name).links, measured[name]
    inertias = found["body_inertia"]
    np.testing.assert_allclose([link.mass for link in links], found["body_mass"], RELATIVE)
    scale = np.abs(inertias).max()
    np.testing.assert_allclose([np.ravel(link.inertia) for link in links], inertias, RELATIVE, RELATIVE * scale)
    np.testing.assert_allclose([link.center_of_mass for link in links], found["body_com_pose"][:, :3], 0, POSITION)


@pytest.mark.parametrize("name", STAGES)
def test_principal_axes_are_those_of_physx(measured: dict[str, dict[str, Any]], name: str) -> None:
    axes = np.array([link.principal_axes for link in described(name).links])
    same = np.abs(np.sum(axes * measured[name]["body_com_pose"][:, 3:], axis=1))
    np.testing.assert_allclose(same, 1.0, 0, POSITION)


@pytest.mark.parametrize("name", STAGES)
def test_limits_drives_and_axis_properties_are_those_of_physx(measured: dict[str, dict[str, Any]], name: str) -> None:
    dofs, found = described(name).dofs, measured[name]
    spherical = [link.joint.path for link in described(name).links if link.joint and link.joint.kind == "spherical"]
    for i, dof in enumerate(dofs):
        drive_of = dof.drive
        rows = {
            "dof_stiffness": drive_of.stiffness if drive_of else 0.0,
            "dof_damping": drive_of.damping if drive_of else 0.0,
            "dof_max_force": drive_of.max_force if drive_of else 0.0,
            "dof_armature": dof.armature, "dof_max_velocity": dof.max_velocity,
            "dof_friction": [dof.static_friction, dof.dynamic_friction, dof.viscous_friction],
        }
        if dof.path not in spherical:
            rows["dof_limit"] = [dof.lower, dof.upper]
        for key, expected in rows.items():
            np.testing.assert_allclose(expected, bounded(found[key][i]), RELATIVE, err_msg=f"{dof.name} {key}")


@pytest.mark.parametrize("name", [name for name in STAGES if name != "generic_joint"])
def test_joint_frames_place_links_where_physx_does(measured: dict[str, dict[str, Any]], name: str) -> None:
    articulation, found = described(name), measured[name]["posed"]
    positions, rotations = link_poses(articulation, pose(articulation))
    np.testing.assert_allclose(positions, found["link_pose"][0][:, :3], 0, POSITION)
    np.testing.assert_allclose(np.abs(np.sum(rotations * found["link_pose"][0][:, 3:], axis=1)), 1.0, 0, POSITION)
