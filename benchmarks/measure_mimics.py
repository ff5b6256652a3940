"""Measure in real PhysX what becomes of mimic joints, sound and faulty: where both joints end up, and how far apart.

Needs the same environment as `measure_tendon_enabled.py`. A fixed base and two unit links without gravity. The leader
j1, limits [-60, 60] degrees or 0.5 to either side, is driven (stiffness 1000, damping 200) to 20 degrees or 0.2 for 240
steps of 1/120 s; the follower j2 has limits of 80 degrees or 0.5 and a mimic joint of gearing -1 under rotZ, unless
a row says otherwise. Gearing -1 should bring the follower to where the leader is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import ModuleType

from measure_tendon_enabled import Oracle, Part, load_oracle

STEPS, STEP = 240, 1 / 120
NOTHING: Part = ([], {})
LEADER, FOLLOWER = (-60.0, 60.0), (-80.0, 80.0)
SLIDE = (-0.5, 0.5)


@dataclass(frozen=True)
class Case:
    """One robot; `mimic` holds parts of the follower, None stands for the sound mimic joint."""

    kinds: tuple[str, str] = ("Revolute", "Revolute")
    mimic: tuple[Part, ...] | None = None
    leader: Part = NOTHING
    limits: tuple[float, float] | None = FOLLOWER
    leader_limits: tuple[float, float] | None = LEADER
    gearing: float = -1.0
    values: dict[str, float] = field(default_factory=dict)
    more: Part = NOTHING
    follower_parent: str | None = "base"


def stage(text: ModuleType, case: Case) -> str:
    """The robot of a case."""
    turning = case.kinds[0] == "Revolute"
    token, target = ("angular", 20.0) if turning else ("linear", 0.2)
    drive = text.drive(token, stiffness=1000.0, damping=200.0, targetPosition=target)
    mimic = case.mimic
    if mimic is None:
        mimic = (text.mimic("j1", "rotZ", gearing=case.gearing, **case.values),)
    first = [text.limits(*case.leader_limits)] if case.leader_limits else []
    second = [text.limits(*case.limits)] if case.limits else []
    body = text.fixed_base() + text.link("l1") + text.link("l2")
    body += text.joint(case.kinds[0], "j1", "base", "l1", "Z", part=text.both(drive, *first, case.leader))
    body += text.joint(case.kinds[1], "j2", case.follower_parent, "l2", "Z",
                       part=text.both(*mimic, *second, case.more))
    return str(text.stage(body, text.scene(0.0)))


def property_part(schemas: list[str], **values: object) -> Part:
    """Schemas with attributes, given as "type__name" with colons for what follows."""
    return schemas, {key.replace("__", " ", 1).replace("__", ":"): value for key, value in values.items()}


def revolute_cases(text: ModuleType) -> dict[str, Case]:
    """Two hinges."""
    def named(instance: str) -> tuple[Part, ...]:
        return (text.mimic("j1", instance, gearing=-1.0),)

    back = text.mimic("j2", "rotZ", gearing=-1.0)
    inconsistent = text.mimic("j2", "rotZ", gearing=-2.0)
    newton = ["NewtonMimicAPI"], {"rel newton:mimicJoint": "</World/art/j1>", "float newton:mimicCoef1": 1.0}
    against = text.drive("angular", stiffness=1000.0, damping=200.0, targetPosition=-20.0)
    two = ["PhysxMimicJointAPI:rotZ"], {
        "rel physxMimicJoint:rotZ:referenceJoint": ["</World/art/j1>", "</World/art/fix>"],
        "float physxMimicJoint:rotZ:gearing": -1.0}
    return {
        "no mimic joint": Case(mimic=()),
        "rotZ, gearing -1": Case(),
        "rotX, gearing -1, axis Z": Case(mimic=named("rotX")),
        "instance transZ": Case(mimic=named("transZ")),
        "instance Z": Case(mimic=named("Z")),
        "gearing 1": Case(gearing=1.0),
        "gearing -2": Case(gearing=-2.0),
        "offset 10": Case(values={"offset": 10.0}),
        "gearing 0": Case(gearing=0.0),
        "gearing NaN": Case(gearing=math.nan),
        "gearing inf": Case(gearing=math.inf),
        "offset NaN": Case(values={"offset": math.nan}),
        "no limits on the follower": Case(limits=None),
        "no limits on the leader": Case(leader_limits=None),
        "follower's upper limit infinite": Case(limits=(-80.0, math.inf)),
        "follower's limits [30, -30]": Case(limits=(30.0, -30.0)),
        "follower's limits [0, 10]": Case(limits=(0.0, 10.0)),
        "follower's limits [-45, 0]": Case(limits=(-45.0, 0.0)),
        "follower's limits [30, 60]": Case(limits=(30.0, 60.0)),
        "naturalFrequency 0, dampingRatio 0": Case(values={"naturalFrequency": 0.0, "dampingRatio": 0.0}),
        "naturalFrequency 100, dampingRatio 1": Case(values={"naturalFrequency": 100.0, "dampingRatio": 1.0}),
        "naturalFrequency 1200, dampingRatio 1": Case(values={"naturalFrequency": 1200.0, "dampingRatio": 1.0}),
        "naturalFrequency -5, dampingRatio 1": Case(values={"naturalFrequency": -5.0, "dampingRatio": 1.0}),
        "naturalFrequency 1, dampingRatio 1": Case(values={"naturalFrequency": 1.0, "dampingRatio": 1.0}),
        "naturalFrequency 10, dampingRatio 1": Case(values={"naturalFrequency": 10.0, "dampingRatio": 1.0}),
        "naturalFrequency 100, dampingRatio 0": Case(values={"naturalFrequency": 100.0, "dampingRatio": 0.0}),
        "naturalFrequency 100, no dampingRatio": Case(values={"naturalFrequency": 100.0}),
        "naturalFrequency 10, dampingRatio 0.1": Case(values={"naturalFrequency": 10.0, "dampingRatio": 0.1}),
        "naturalFrequency 10, dampingRatio 0": Case(values={"naturalFrequency": 10.0, "dampingRatio": 0.0}),
        "reference is the joint itself": Case(mimic=(text.mimic("j2", "rotZ", gearing=-1.0),)),
        "reference does not exist": Case(mimic=(text.mimic("none", "rotZ", gearing=-1.0),)),
        "reference is a link": Case(mimic=(text.mimic("l1", "rotZ", gearing=-1.0),)),
        "two references": Case(mimic=(two,)),
        "rotX with -1 and rotY with 1": Case(mimic=(*named("rotX"), text.mimic("j1", "rotY", gearing=1.0))),
        "follower excluded": Case(more=property_part([], bool__physics__excludeFromArticulation=True)),
        "leader excluded": Case(leader=property_part([], bool__physics__excludeFromArticulation=True)),
        "leader disabled": Case(leader=property_part([], bool__physics__jointEnabled=False)),
        "follower disabled": Case(more=property_part([], bool__physics__jointEnabled=False)),
        "ring, gearings -1 and -1": Case(leader=back),
        "ring, gearings -1 and -2": Case(leader=inconsistent),
        "follower holds to the world": Case(follower_parent=None),
        "NewtonMimicAPI alone": Case(mimic=(newton,)),
        "gearing 1 and mimicCoef1 1": Case(gearing=1.0, more=newton),
        "follower driven to -20": Case(more=against),
        "referenceJointAxis Z": Case(values={}, more=property_part(
            [], **{"token__physxMimicJoint__rotZ__referenceJointAxis": "Z"})),
        "joint states 10 and 0": Case(
            leader=text.joint_state("angular", position=10.0), more=text.joint_state("angular", position=0.0)),
        "spherical follower": Case(kinds=("Revolute", "Spherical"), limits=None),
        "generic follower, translations locked": Case(kinds=("Revolute", ""), limits=None, more=locked("XYZ")),
        "generic follower, transZ not locked": Case(kinds=("Revolute", ""), limits=None, more=locked("XY")),
    }


def locked(axes: str) -> Part:
    """A generic joint with translations along some axes locked, rotations about x and y too."""
    names = [f"trans{axis}" for axis in axes] + ["rotX", "rotY"]
    values: dict[str, object] = {f"float limit:{name}:physics:low": 1.0 for name in names}
    values.update({f"float limit:{name}:physics:high": -1.0 for name in names})
    values.update({"float limit:rotZ:physics:low": -80.0, "float limit:rotZ:physics:high": 80.0})
    return [f"PhysicsLimitAPI:{name}" for name in (*names, "rotZ")], values


def prismatic_cases(text: ModuleType) -> dict[str, Case]:
    """Two sliders, and a hinge that leads a slider."""
    kinds = ("Prismatic", "Prismatic")

    def named(instance: str, **more: float) -> Case:
        return Case(kinds, (text.mimic("j1", instance, gearing=-1.0, **more),), limits=SLIDE, leader_limits=SLIDE)

    return {
        "rotX": named("rotX"), "rotZ": named("rotZ"), "transZ": named("transZ"), "Z": named("Z"),
        "rotX, offset 0.05": named("rotX", offset=0.05),
        "no limits on either joint": Case(kinds, limits=None, leader_limits=None),
        "hinge leads, gearing -0.01 per degree": Case(("Revolute", "Prismatic"), gearing=-0.01, limits=SLIDE),
    }


def measure(oracle: Oracle, cases: dict[str, Case], unit: float) -> None:
    """Run cases in one engine process; print where their joints end up."""
    jobs = [oracle.engine.sim_job(stage(oracle.text, case), STEP, STEPS) for case in cases.values()]
    results = oracle.engine.run_jobs(jobs)
    print(f"{'case':42} {'leader':>9} {'follower':>9} {'most apart':>10}")
    for label, result in zip(cases, results, strict=True):
        names = list(map(str, result["dof_names"]))
        runs = [next(([unit * float(row[place]) for row in result["q"]] for place, name in enumerate(names)
                      if joint in name), [math.nan]) for joint in ("j1", "j2")]
        apart = max(abs(first - second) for first, second in zip(*runs, strict=False))
        missing = "" if any("j2" in name for name in names) else "  no such degree of freedom"
        print(f"{label:42} {runs[0][-1]:9.3f} {runs[1][-1]:9.3f} {apart:10.4f}{missing}")
    print("\n".join(dict.fromkeys(line for line in results[0]["log"].splitlines() if "warmup" not in line)))


def main() -> None:
    """Both tables, degrees and lengths, and what the engine said."""
    oracle = load_oracle()
    measure(oracle, revolute_cases(oracle.text), 180.0 / math.pi)
    measure(oracle, prismatic_cases(oracle.text), 1.0)


if __name__ == "__main__":
    main()
