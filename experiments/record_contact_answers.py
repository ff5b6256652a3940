"""Record what real PhysX answers about contacts: forces, friction and events of prims with PhysxContactReportAPI.

Needs ORACLE_PYTHON, an interpreter with ovphysx. Writes tests/data/contact_answers.json, which tests of the answers
here compare with; steps of 1/60 s.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rule_stages import KINEMATIC, ROOT, STEP, Attributes, at, body, box, collider, ground, joint, prim, robot, world

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
from physx_process import PhysXProcess  # noqa: E402

REPORT = "PhysxContactReportAPI"
RECORDED = Path(__file__).resolve().parents[1] / "tests" / "data" / "contact_answers.json"
SLEEPLESS = {"float physxRigidBody:sleepThreshold": "0"}
# Apart from resting by so little that rounding does not decide whether there is a depth.
CLEAR = 1e-4


@dataclass(frozen=True, slots=True)
class Case:
    """A stage, for how many steps it runs, and of which sensors the forces of filters are asked."""

    usda: str
    steps: int = 5
    pairs: Sequence[tuple[str, Sequence[str]]] = ()


def plane() -> str:
    """The ground as a plane."""
    return collider("Plane", "ground", {"uniform token axis": '"Z"'})


def threshold(force: float, pairs: str = "") -> Attributes:
    """From which force on a body reports, and what it touches."""
    return {"float physxContactReport:threshold": f"{force:g}",
            **({"rel physxContactReport:reportPairs": pairs} if pairs else {})}


def cube(name: str, z: float, more: Attributes | None = None, *schemas: str, x: float = 0.0) -> str:
    """A cube of size 1 and mass 1 that never sleeps."""
    return box(z, {**SLEEPLESS, **(more or {})}, name=name, x=x, on_body=("PhysxRigidBodyAPI", *schemas))


def velocity(x: float, y: float = 0.0, z: float = 0.0) -> Attributes:
    """A start velocity."""
    return {"vector3f physics:velocity": f"({x}, {y}, {z})"}


def ball(name: str, z: float, more: Attributes | None = None, *schemas: str, x: float = 0.0) -> str:
    """A ball of radius 0.5 and mass 1."""
    return body(name, {**at(z, x), **SLEEPLESS, **(more or {})}, "PhysxRigidBodyAPI", *schemas,
                children=collider("Sphere", "shape", {"double radius": "0.5"}))


def bounce() -> tuple[str, Attributes]:
    """A material of restitution 0.6 against everything, and its binding to a body."""
    made = prim("Material", "rubber", {"float physics:restitution": "0.6",
                                       "uniform token physxMaterial:restitutionCombineMode": '"max"'},
                "PhysicsMaterialAPI", "PhysxMaterialAPI")
    return made, {"rel material:binding:physics": "</rubber>"}


def forces() -> dict[str, Case]:
    """Net forces, matrices, points and anchors."""
    low = 0.5 - CLEAR
    spin = {"vector3f physics:angularVelocity": "(0, 0, 300)"}
    two = body("a", {**at(low), **SLEEPLESS, **threshold(0), **velocity(0.5, 0.25)}, "PhysxRigidBodyAPI", REPORT,
               children=collider("Cube", "left", at(x=-1.0)) + collider("Cube", "right", at(x=1.0)))
    pusher = box(low + 0.1, {**KINEMATIC, **threshold(0)}, name="k", x=-1.0 + CLEAR, on_body=(REPORT,))
    return {
        "slides": Case(world(cube("a", low, {**threshold(0), **velocity(1.0)}, REPORT), plane()), 5,
                       [("/a", ["/ground"])]),
        "spins": Case(world(cube("a", low, {**threshold(0), **spin}, REPORT), plane())),
        "rolls": Case(world(ball("a", low, {**threshold(0), **velocity(1.0, 0.5)}, REPORT), plane())),
        "stands on another": Case(
            world(cube("a", low, threshold(0), REPORT), cube("b", low + 1.0 - CLEAR, velocity(0.5), REPORT), plane()),
            12, [("/a", ["/ground", "/b"]), ("/b", ["/a", "/ground"])]),
        "two shapes": Case(world(two, ground()), 5, [("/a", ["/ground"])]),
        "kinematic": Case(world(pusher, cube("a", low, threshold(0), REPORT), ground()), 5,
                          [("/a", ["/k", "/ground"])]),
    }


def links() -> dict[str, Case]:
    """Links of a robot that lies on the ground, and a cube on one of them."""
    low = 0.5 - CLEAR

    def of(of_robot: Attributes, of_cube: Attributes, *schemas: str) -> str:
        hinge = joint("Revolute", "j", "/robot/a", "/robot/b", {
            "uniform token physics:axis": '"Y"', "point3f physics:localPos0": "(0.75, 0, 0)",
            "point3f physics:localPos1": "(-0.75, 0, 0)"})
        parts = cube("a", low), cube("b", low, x=1.5), hinge
        made = robot(*parts, schemas=(ROOT, "PhysxArticulationAPI", *schemas[:1]), more={
            **of_robot, "float physxArticulation:sleepThreshold": "0"})
        return world(made, cube("c", low + 1.0 - CLEAR, of_cube, *schemas[1:]), plane())

    return {
        "links": Case(of(threshold(0), {}, REPORT), 5, [("/robot/a", ["/ground", "/c"])]),
        "a cube on a link": Case(of({}, threshold(0, "</robot>"), "PhysxArticulationAPI", REPORT), 5,
                                 [("/c", ["/robot/a", "/robot/b"])]),
        "the robot with the cube": Case(of(threshold(0, "</c>"), {}, REPORT)),
    }


def events() -> dict[str, Case]:
    """What is reported, and when."""
    low, (rubber, bound) = 0.5 - CLEAR, bounce()
    stack = (cube("b", low + 1.0 - CLEAR), plane())
    return {
        "bounces": Case(world(ball("a", 0.8, {**threshold(0), **bound}, "MaterialBindingAPI", REPORT), plane(),
                              rubber), 24),
        "bounces, threshold 400": Case(
            world(ball("a", 0.8, {**threshold(400), **bound}, "MaterialBindingAPI", REPORT), plane(), rubber), 24),
        "weighs 10, threshold 9": Case(world(cube("a", low, threshold(9), REPORT), plane())),
        "weighs 10, threshold 11": Case(world(cube("a", low, threshold(11), REPORT), plane())),
        "weighs 10, no threshold": Case(world(cube("a", low, {}, REPORT), plane())),
        "weighs 1000, no threshold, centimetres": Case(world(
            cube("a", low, {}, REPORT), plane(), gravity="1000", meters="0.01"), 3),
        "weighs 50, no threshold, centimetres": Case(world(
            cube("a", low, {}, REPORT), plane(), gravity="50", meters="0.01"), 3),
        "weighs 50, threshold 1, centimetres": Case(world(
            cube("a", low, threshold(1), REPORT), plane(), gravity="50", meters="0.01"), 3),
        "threshold 15 below, 9 above": Case(world(cube("a", low, threshold(15), REPORT),
                                                  cube("b", low + 1.0 - CLEAR, threshold(9), REPORT), plane())),
        "pairs: the other": Case(world(cube("a", low, threshold(0, "</b>"), REPORT), *stack)),
        "pairs: the ground": Case(world(cube("a", low, threshold(0, "</ground>"), REPORT), *stack)),
        "pairs: both": Case(world(cube("a", low, threshold(0, "[</b>, </ground>]"), REPORT), *stack)),
        "pairs: nothing there": Case(world(cube("a", low, threshold(0, "</missing>"), REPORT), *stack)),
        "pairs: a collider": Case(world(cube("a", low, threshold(0, "</b/shape>"), REPORT), *stack)),
        "only the ground": Case(world(cube("a", low), collider(
            "Plane", "ground", {"uniform token axis": '"Z"', **threshold(0)}, REPORT))),
        "falls asleep": Case(world(box(low, threshold(0), on_body=(REPORT,)), plane()), 32),
        "only the shape": Case(world(box(low, {}, threshold(0), REPORT), plane())),
    }


def recorded(cases: Mapping[str, Case]) -> dict[str, object]:
    """Stages and what PhysX told of them."""
    found: dict[str, object] = {}
    for name, case in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            stage = Path(folder, "stage.usda")
            stage.write_text(case.usda)
            process = PhysXProcess(BENCHMARKS / "contact_sensors_physx.py", Path(folder))
            try:
                told = process.ask(json.dumps({"stage": str(stage), "dt": STEP, "steps": case.steps,
                                               "pairs": case.pairs}), "told ")
            finally:
                process.close()
        found[name] = {"stage": case.usda, "steps": json.loads(told.removeprefix("told ")), "pairs": case.pairs}
        print(name, flush=True)
    return found


def _rounded(told: Any) -> Any:
    """With numbers as float32 holds them, and no more digits."""
    if isinstance(told, float):
        return float(f"{told:.8g}")
    if isinstance(told, dict):
        return {name: _rounded(value) for name, value in told.items()}
    return [_rounded(value) for value in told] if isinstance(told, (list, tuple)) else told


def main() -> None:
    cases = {**forces(), **events(), **links()}
    lines = (f" {json.dumps(name)}: {json.dumps(_rounded(told))}" for name, told in recorded(cases).items())
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
