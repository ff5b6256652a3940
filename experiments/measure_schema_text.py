"""Measure in real PhysX what the published schema text leaves open or says otherwise; one number or two a row.

Needs the environment that `oracle.py` describes. Sliders of unit mass take one step of 0.01 s without gravity
and damping where the row does not say otherwise; a force of -10 held over the step gives -0.1. Prints a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from oracle import STEP, Part, load_oracle

NOTHING: Part = ([], {})
RATE = 1 / 60


@dataclass(frozen=True, slots=True)
class Row:
    """One stage, its start, and what is looked at: "qd" or "q" after the steps."""

    label: str
    usda: str
    position: list[float]
    velocity: list[float]
    effort: list[float] | None = None
    steps: int = 1
    look: str = "qd"


@dataclass(frozen=True, slots=True)
class Stages:
    """Slider stages from parts; the oracle's stage_text does the writing."""

    text: ModuleType
    more: dict[str, Any] = field(default_factory=dict)

    def sliders(self, *parts: Part, iterations: tuple[int, int] = (1, 0), **more: Any) -> str:
        return str(self.text.sliders(list(parts), iterations=iterations, **more))

    def array(self, gearing: list[float]) -> Part:
        """A fixed tendon of stiffness 10 with any number of gearings."""
        schemas, values = self.text.tendon_axis("t", root=True, stiffness=10.0)
        return schemas, {**values, "float[] physxTendon:t:gearing": gearing}

    def spatial(self, at: float, iterations: tuple[int, int] = (1, 0), stiffness: float = 10.0, gearing: float = 1.0,
                offset: float = 0.0, **leaf: float) -> str:
        """A slider `at` from the tendon's root on the base."""
        end = self.text.attachment("f", (at, 0, 0), ("base", "r"), leaf=True, gearing=gearing, **leaf)
        root = self.text.attachment("r", (0, 0, 0), stiffness=stiffness, offset=offset)
        return self.sliders(NOTHING, iterations=iterations, base=root, links={0: end})

    def bent(self) -> str:
        """Root and leaf on sliders along x, the via point on the base above the root."""
        root = self.text.attachment("r", (0, 0, 0), stiffness=10.0)
        via = self.text.attachment("m", (0, 0, 3), ("l0", "r"))
        leaf = self.text.attachment("f", (2, 0, 0), ("base", "m"), leaf=True, restLength=5.0)
        return self.sliders(NOTHING, NOTHING, base=via, links={0: root, 1: leaf})


def tendons(s: Stages) -> Iterator[Row]:
    """Fixed and spatial tendons."""
    text = s.text
    for gearing in ([2.0], [2.0, 3.0]):
        yield Row(f"fixed: gearing {gearing}, q = 0.5", s.sliders(s.array(gearing)), [0.5], [0.0])
    one, other = text.tendon_axis("t", root=True, stiffness=10.0), text.tendon_axis("t", gearing=0.0, force=0.0)
    yield Row("fixed: one axis, q = 1", s.sliders(one), [1.0], [0.0])
    yield Row("fixed: and a second one that does nothing", s.sliders(one, other, serial=True), [1.0, 0.0], [0.0, 0.0])
    for force in (0.5, 1.0, 2.0):
        axis = text.tendon_axis("t", gearing=2.0, force=force, root=True, stiffness=10.0)
        yield Row(f"fixed: gearing 2, forceCoefficient {force:g}, q = 0.5", s.sliders(axis), [0.5], [0.0])
    for values in ({"upperLimit": 0.5}, {"upperLimit": 0.5, "limitStiffness": 10.0},
                   {"lowerLimit": 2.0, "upperLimit": 0.5, "limitStiffness": 10.0}):
        yield Row(f"fixed: {values}, q = 1", s.sliders(text.tendon_axis("t", root=True, **values)), [1.0], [0.0])
    damped = text.tendon_axis("t", root=True, damping=5.0, limitStiffness=10.0, upperLimit=5.0)
    yield Row("fixed: damping 5 inside its limits, v = 1", s.sliders(damped), [0.0], [1.0])
    off = ([*one[0]], {**one[1], "bool physxTendon:t:tendonEnabled": False})
    yield Row("fixed: tendonEnabled false, q = 1", s.sliders(off), [1.0], [0.0])
    for distance in (2.0, 20.0):
        stage = s.spatial(distance, restLength=distance - 1.0)
        yield Row(f"spatial: {distance:g} long, 1 too long", stage, [0.0], [0.0])
    yield Row("spatial: gearing 2, 1 too long", s.spatial(1.0, gearing=2.0, restLength=1.0), [0.0], [0.0])
    yield Row("spatial: bent, root and leaf", s.bent(), [0.0, 0.0], [0.0, 0.0])
    yield Row("spatial: restLength -1, offset 0.3, gearing 2",
              s.spatial(1.0, gearing=2.0, offset=0.3, restLength=-1.0), [0.0], [0.0])
    for counts in ((4, 0), (4, 4)):
        yield Row(f"spatial: iterations {counts}", s.spatial(1.0, counts, restLength=0.0), [0.0], [0.0])


def mimics(s: Stages) -> Iterator[Row]:
    """Mimic joints: the instance name, and what a velocity iteration does to compliance."""
    for token in ("rotX", "transX"):
        stage = s.sliders(NOTHING, s.text.mimic("j0", token))
        yield Row(f"mimic: instance {token}, error 1", stage, [1.0, 0.0], [0.0, 0.0])
    soft = s.text.mimic("j0", naturalFrequency=10.0, dampingRatio=1.0)
    for counts in ((4, 0), (4, 1)):
        stage = s.sliders(NOTHING, soft, iterations=counts)
        yield Row(f"mimic: w 10, z 1, iterations {counts}, error 1, 5 steps", stage, [0.0, 1.0], [0.0, 0.0], steps=5,
                  look="q")


def joints(s: Stages) -> Iterator[Row]:
    """Drives, joint axes and limits."""
    text = s.text

    def drive(**values: Any) -> Part:
        part: Part = text.drive("linear", **values)
        return part

    fastest = text.joint_axis("linear", maxJointVelocity=0.5)
    yield Row("maxJointVelocity 0.5, v = 1.5", s.sliders(fastest), [0.0], [1.5])
    yield Row("no maxJointVelocity, v = 200 beside v = 10", s.sliders(NOTHING, NOTHING), [0.0, 0.0], [200.0, 10.0])
    for values in ({"dynamicFrictionEffort": 3.0}, {"staticFrictionEffort": 5.0, "dynamicFrictionEffort": 3.0}):
        yield Row(f"{values}, v = 1", s.sliders(text.joint_axis("linear", **values)), [0.0], [1.0])
    soft = ["PhysxLimitAPI:linear"], {"float physxLimit:linear:stiffness": 10.0, "float physxLimit:linear:damping": 1.0}
    for label, part in (("hard", NOTHING), ("with PhysxLimitAPI", soft)):
        yield Row(f"limit 0.02, {label}, q = 0.1", s.sliders(text.both(text.limits(-1.0, 0.02), part)), [0.1], [0.0])
    yield Row("maxForce 20 of a drive without gains, effort 30", s.sliders(drive(stiffness=0.0, maxForce=20.0)),
              [0.0], [0.0], [30.0])
    envelope = text.envelope("linear", maxActuatorVelocity=1.0)
    brake = drive(stiffness=0.0, damping=100.0, maxForce=1000.0)
    yield Row("drive of damping 100, v = 4", s.sliders(brake), [0.0], [4.0])
    yield Row("the same with maxActuatorVelocity 1", s.sliders(text.both(brake, envelope)), [0.0], [4.0])
    for kind in (None, "acceleration"):
        for scale in (0.0, 0.5):
            part = drive(type=kind, stiffness=100.0, damping=10.0, targetPosition=1.0)
            link = [], {"float physxRigidBody:cfmScale": scale}
            yield Row(f"{kind or 'force'} drive, cfmScale {scale:g}", s.sliders(part, masses=[4.0], links={0: link}),
                      [0.0], [0.0])
    for n in (1, 4, 32):
        fall = s.sliders(NOTHING, iterations=(n, 0), axis="Z", gravity=10.0)
        yield Row(f"free fall, {n} position iterations, q", fall, [0.0], [0.0], look="q")


def turning(s: Stages) -> Iterator[Row]:
    """A slider 0.5 from the axis of an arm that turns at 5 rad/s, one step of 1/60 s: dt w^2 0.5 is 0.2083333."""
    text = s.text
    stiff = {"staticFrictionEffort": 1e4, "dynamicFrictionEffort": 1e4}
    for label, part in (("drive of damping 1000", text.drive("linear", stiffness=0.0, damping=1000.0)),
                        ("fixed tendon of damping 1000", text.tendon_axis("t", root=True, damping=1000.0)),
                        ("friction 10000", text.joint_axis("linear", **stiff)),
                        ("maxJointVelocity 0.1", text.joint_axis("linear", maxJointVelocity=0.1)),
                        ("limit 0", text.limits(-1.0, 0.0))):
        body = text.fixed_base() + text.link("l0") + text.joint("Revolute", "j0", "base", "l0", "Z")
        body += text.link("l1", (0.5, 0, 0))
        body += text.joint("Prismatic", "j1", "l0", "l1", "X", (0.5, 0, 0), (0, 0, 0), part)
        yield Row(f"turning arm: {label}, v = 0.3", text.stage(body, text.scene(0.0), (32, 1)), [0.0, 0.0], [5.0, 0.3])


def lengths(s: Stages) -> Iterator[Row]:
    """The softening of a maximum velocity in stages of other units."""
    for meters in (1.0, 0.1, 0.01, 10.0):
        stage = s.sliders(s.text.joint_axis("linear", maxJointVelocity=0.5))
        scaled = stage.replace("metersPerUnit = 1.0", f"metersPerUnit = {meters}")
        yield Row(f"metersPerUnit {meters:g}: maxJointVelocity 0.5, v = 1.5", scaled, [0.0], [1.5])


def main() -> None:
    """Run every row."""
    oracle = load_oracle()
    stages = Stages(oracle.text)
    rows = [row for part in (tendons, mimics, joints, turning, lengths) for row in part(stages)]
    jobs = [oracle.engine.sim_job(row.usda, RATE if row.label.startswith("turning") else STEP, row.steps, row.position,
                                  row.velocity, effort=row.effort) for row in rows]
    for row, result in zip(rows, oracle.engine.run_jobs(jobs), strict=True):
        print(f"{row.label:72}", " ".join(f"{float(x):12.7f}" for x in result[row.look][-1]))


if __name__ == "__main__":
    main()
