"""Measure in real PhysX what becomes of mimic joints, sound and faulty: where both joints end up, and how far apart.

Needs the environment that `oracle.py` describes. A fixed base and two unit links without gravity. The leader
j1, limits [-60, 60] degrees or 0.5 to either side, is driven (stiffness 1000, damping 200) to 20 degrees or 0.2 for 240
steps of 1/120 s; the follower j2 has limits of 80 degrees or 0.5 and a mimic joint of gearing -1 under rotZ, unless
a row says otherwise. Gearing -1 should bring the follower to where the leader is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import ModuleType

from oracle import Oracle, Part, load_oracle

STEPS, STEP = 240, 1 / 120
DEGREES = 180.0 / math.pi
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


def named(text: ModuleType, instance: str) -> tuple[Part, ...]:
    """The sound mimic joint under another instance name."""
    return (text.mimic("j1", instance, gearing=-1.0),)


def newton(*leaders: str, **values: object) -> Part:
    """NewtonMimicAPI, coefficient 1 unless given."""
    own = {"mimicCoef1": 1.0, **values}
    return ["NewtonMimicAPI"], {"rel newton:mimicJoint": [f"</World/art/{leader}>" for leader in leaders], **{
        f"{'bool' if isinstance(value, bool) else 'float'} newton:{name}": value for name, value in own.items()}}


def values_of_mimics() -> dict[str, Case]:
    """Gearings, offsets and compliance."""
    compliant = ((0.0, 0.0), (100.0, 1.0), (1200.0, 1.0), (-5.0, 1.0), (1.0, 1.0), (10.0, 1.0), (100.0, 0.0),
                 (10.0, 0.1), (10.0, 0.0))
    return {
        "no mimic joint": Case(mimic=()),
        "rotZ, gearing -1": Case(),
        "gearing 1": Case(gearing=1.0),
        "gearing -2": Case(gearing=-2.0),
        "offset 10": Case(values={"offset": 10.0}),
        "gearing 0": Case(gearing=0.0),
        "gearing NaN": Case(gearing=math.nan),
        "gearing inf": Case(gearing=math.inf),
        "offset NaN": Case(values={"offset": math.nan}),
        **{f"naturalFrequency {frequency:g}, dampingRatio {ratio:g}": Case(
            values={"naturalFrequency": frequency, "dampingRatio": ratio}) for frequency, ratio in compliant},
        "naturalFrequency 100, no dampingRatio": Case(values={"naturalFrequency": 100.0}),
    }


def limits_of_mimics() -> dict[str, Case]:
    """Limits that are missing, or stop a joint early."""
    return {
        "no limits on the follower": Case(limits=None),
        "no limits on the leader": Case(leader_limits=None),
        "follower's upper limit infinite": Case(limits=(-80.0, math.inf)),
        "follower's limits [30, -30]": Case(limits=(30.0, -30.0)),
        "follower's limits [0, 10]": Case(limits=(0.0, 10.0)),
        "follower's limits [-45, 0]": Case(limits=(-45.0, 0.0)),
        "follower's limits [30, 60]": Case(limits=(30.0, 60.0)),
        "follower's limits [50, 60], leader's 45": Case(limits=(50.0, 60.0), leader_limits=(-45.0, 45.0)),
        "follower's limits [70, 80]": Case(limits=(70.0, 80.0)),
    }


def references(text: ModuleType) -> dict[str, Case]:
    """Instances, references and rings."""
    back = text.mimic("j2", "rotZ", gearing=-1.0)
    two = ["PhysxMimicJointAPI:rotZ"], {
        "rel physxMimicJoint:rotZ:referenceJoint": ["</World/art/j1>", "</World/art/fix>"],
        "float physxMimicJoint:rotZ:gearing": -1.0}
    axis = property_part([], **{"token__physxMimicJoint__rotZ__referenceJointAxis": "Z"})
    orphan = [], named(text, "rotZ")[0][1]
    return {
        "rotX, gearing -1, axis Z": Case(mimic=named(text, "rotX")),
        "instance transZ": Case(mimic=named(text, "transZ")),
        "instance Z": Case(mimic=named(text, "Z")),
        "properties without the API": Case(mimic=(orphan,)),
        "reference is the joint itself": Case(mimic=(back,)),
        "reference does not exist": Case(mimic=(text.mimic("none", "rotZ", gearing=-1.0),)),
        "reference is a link": Case(mimic=(text.mimic("l1", "rotZ", gearing=-1.0),)),
        "two references": Case(mimic=(two,)),
        "rotX with -1 and rotY with 1": Case(mimic=(*named(text, "rotX"), text.mimic("j1", "rotY", gearing=1.0))),
        "referenceJointAxis Z": Case(values={}, more=axis),
        "ring, gearings -1 and -1": Case(leader=back),
        "ring, gearings -1 and -2": Case(leader=text.mimic("j2", "rotZ", gearing=-2.0)),
    }


def joints(text: ModuleType) -> dict[str, Case]:
    """Joints that are excluded, disabled, driven, or of other kinds."""
    excluded = property_part([], bool__physics__excludeFromArticulation=True)
    disabled = property_part([], bool__physics__jointEnabled=False)
    against = text.drive("angular", stiffness=1000.0, damping=200.0, targetPosition=-20.0)
    return {
        "follower excluded": Case(more=excluded),
        "leader excluded": Case(leader=excluded),
        "leader disabled": Case(leader=disabled),
        "follower disabled": Case(more=disabled),
        "follower holds to the world": Case(follower_parent=None),
        "follower driven to -20": Case(more=against),
        "joint states 10 and 0": Case(
            leader=text.joint_state("angular", position=10.0), more=text.joint_state("angular", position=0.0)),
        "spherical follower": Case(kinds=("Revolute", "Spherical"), limits=None),
        "generic follower, translations locked": Case(kinds=("Revolute", ""), limits=None, more=locked("XYZ")),
        "generic follower, transZ not locked": Case(kinds=("Revolute", ""), limits=None, more=locked("XY")),
    }


def newtons() -> dict[str, Case]:
    """Newton's mimic joints."""
    def follows(*leaders: str, **values: object) -> Case:
        return Case(mimic=(newton(*(leaders or ("j1",)), **values),))

    return {
        "NewtonMimicAPI alone": follows(),
        "mimicCoef0 10": follows(mimicCoef0=10.0), "mimicCoef1 0": follows(mimicCoef1=0.0),
        "mimicCoef1 NaN": follows(mimicCoef1=math.nan), "mimicCoef1 inf": follows(mimicCoef1=math.inf),
        "mimicCoef0 inf": follows(mimicCoef0=math.inf), "mimicEnabled false": follows(mimicEnabled=False),
        "mimicJoint does not exist": follows("none"), "mimicJoint is the joint itself": follows("j2"),
        "two targets of mimicJoint": follows("j1", "fix"),
        "Newton, no limits on the follower": Case(mimic=(newton("j1"),), limits=None),
        "Newton, follower's limits [0, 10]": Case(mimic=(newton("j1"),), limits=(0.0, 10.0)),
        "Newton, ring of 1 and 2": Case(mimic=(newton("j1"),), leader=newton("j2", mimicCoef1=2.0)),
        "Newton, spherical follower": Case(kinds=("Revolute", "Spherical"), limits=None, mimic=(newton("j1"),)),
        "gearing 1 and mimicCoef1 1": Case(gearing=1.0, more=newton("j1")),
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

    def sliding(instance: str, drive: Part = NOTHING, **more: float) -> Case:
        return Case(kinds, (text.mimic("j1", instance, gearing=-1.0, **more),), limits=SLIDE, leader_limits=SLIDE,
                    more=drive)

    return {
        **{instance: sliding(instance) for instance in ("rotX", "rotZ", "transZ", "Z")},
        "rotX, offset 0.05": sliding("rotX", offset=0.05),
        "rotX, gains on the follower": sliding("rotX", text.drive("linear", stiffness=1000.0, damping=200.0)),
        "no limits on either joint": Case(kinds, limits=None, leader_limits=None),
        "hinge leads, gearing -0.01 per degree": Case(("Revolute", "Prismatic"), gearing=-0.01, limits=SLIDE),
    }


def edited(text: ModuleType) -> dict[str, str]:
    """Stages with what no case can hold: a mimic joint on a link, a chain, values that are not plain."""
    sound = stage(text, Case())
    gearing = "float physxMimicJoint:rotZ:gearing = -1.0"
    samples = "float physxMimicJoint:rotZ:gearing.timeSamples = { 0: -2, 10: -3 }"
    source = "custom float source = -2\n"
    connection = source + "float physxMimicJoint:rotZ:gearing.connect = </World/art/j2.source>"
    third = text.link("l3") + text.joint("Revolute", "j3", "base", "l3", "Z", part=text.both(
        text.mimic("j2", "rotZ", gearing=-1.0), text.limits(*FOLLOWER)))
    schemas, values = named(text, "rotZ")[0]
    on_link = text.link("l2", part=(schemas, values))
    return {
        "API on a link": changed(stage(text, Case(mimic=())), text.indent(text.link("l2"), 8), text.indent(on_link, 8)),
        "chain: j3 follows j2, columns j1 and j3": changed(sound, 'def Xform "l2"', third + 'def Xform "l2"'),
        "gearing -1 with time samples": changed(sound, gearing, f"{gearing}\n{samples}"),
        "gearing of time samples alone": changed(sound, gearing, samples),
        "gearing -1 connected to -2": changed(sound, gearing, f"{gearing}\n{connection}"),
        "gearing connected to -2 alone": changed(sound, gearing, connection),
        "limits of time samples": changed(sound, "float physics:lowerLimit = -80.0",
                                          "float physics:lowerLimit.timeSamples = { 0: -80, 10: -10 }"),
    }


def changed(usda: str, old: str, new: str) -> str:
    """A stage with a piece of its text replaced."""
    if old not in usda:
        raise ValueError(f"the stage has no {old!r}")
    return usda.replace(old, new)


def measure(oracle: Oracle, stages: dict[str, str], unit: float) -> None:
    """Run stages in one engine process; print where their joints end up."""
    jobs = [oracle.engine.sim_job(usda, STEP, STEPS) for usda in stages.values()]
    results = oracle.engine.run_jobs(jobs)
    print(f"{'case':42} {'leader':>9} {'follower':>9} {'most apart':>10}")
    for label, result in zip(stages, results, strict=True):
        names = list(map(str, result["dof_names"]))
        last = "j3" if "j3" in names else "j2"
        runs = [next(([unit * float(row[place]) for row in result["q"]] for place, name in enumerate(names)
                      if joint in name), [math.nan]) for joint in ("j1", last)]
        apart = max(abs(first - second) for first, second in zip(*runs, strict=False))
        missing = "" if any("j2" in name for name in names) else "  no such degree of freedom"
        print(f"{label:42} {runs[0][-1]:9.3f} {runs[1][-1]:9.3f} {apart:10.4f}{missing}")
    print("\n".join(dict.fromkeys(line for line in results[0]["log"].splitlines() if "warmup" not in line)))


def main() -> None:
    """Every table, degrees and lengths, and what the engine said."""
    oracle = load_oracle()
    text = oracle.text
    tables = (values_of_mimics(), limits_of_mimics(), references(text), joints(text), newtons())
    for cases in tables:
        measure(oracle, {label: stage(text, case) for label, case in cases.items()}, DEGREES)
    measure(oracle, edited(text), DEGREES)
    measure(oracle, {label: stage(text, case) for label, case in prismatic_cases(text).items()}, 1.0)


if __name__ == "__main__":
    main()
