"""Measure in real PhysX what the checks of tendons warn of: signs, shares, iterations, bias, missing leaves, a crash.

Needs the environment that `oracle.py` describes. Unit sliders on a fixed base without gravity and damping,
steps of 0.01 s; a tendon of stiffness 10 stretched by 1 gives a unit slider a velocity of -0.0999 in the first step.
"""

from __future__ import annotations

from types import ModuleType

from oracle import STEP, Part, load_oracle

NOTHING: Part = ([], {})


def sliders(text: ModuleType, parts: list[Part], iterations: tuple[int, int] = (4, 0), serial: bool = False,
            **more: object) -> str:
    """Sliders with tendon axes."""
    return str(text.sliders(parts, iterations=iterations, serial=serial, **more))


def one_step(text: ModuleType) -> dict[str, tuple[str, list[float]]]:
    """Stages and slider positions by description; the velocities after one step tell."""
    def root(gearing: float = 1.0, force: float | None = None, **values: float) -> Part:
        part: Part = text.tendon_axis("t", gearing, force, True, **{"stiffness": 10.0, **values})
        return part

    axis = text.tendon_axis("t")
    idle = text.tendon_axis("t", 0.0, 0.0)
    loose = text.attachment("r", (0, 0, 0), stiffness=10.0)
    stiff = text.attachment("r", (0, 0, 0), stiffness=10.0, limitStiffness=10.0)
    end = text.attachment("f", (0, 0, 0), ("base", "r"))
    return {
        "one axis": (sliders(text, [root()]), [1.0]),
        "two axes in series": (sliders(text, [root(), axis], serial=True), [1.0, 0.0]),
        "two axes in series, second geared 0, no force": (sliders(text, [root(), idle], serial=True), [1.0, 0.0]),
        "gearing 2": (sliders(text, [root(2.0)]), [0.5]),
        "gearing -1, forceCoefficient 1": (sliders(text, [root(-1.0)]), [1.0]),
        "gearing -1, forceCoefficient -1": (sliders(text, [root(-1.0, -1.0)]), [1.0]),
        **{f"one axis, iterations {n}/{v}": (sliders(text, [root()], (n, v)), [1.0])
           for n, v in ((1, 1), (4, 1), (4, 4), (8, 4), (32, 1), (32, 4))},
        "path without leaf": (sliders(text, [NOTHING], links={0: end}, base=loose), [1.0]),
        "path without leaf, limitStiffness": (sliders(text, [NOTHING], links={0: end}, base=stiff), [1.0]),
        "axis beside the root axis": (sliders(text, [root(), axis]), [0.0, 1.0]),
    }


def idle(text: ModuleType) -> dict[str, tuple[str, list[float]]]:
    """Tendons stretched by 1 that lack gains, limits or the stiffness of limits; the velocities after one step tell."""
    def fixed(**values: float) -> str:
        return sliders(text, [text.tendon_axis("t", root=True, **values)], (1, 0))

    def spatial(root: dict[str, float], **leaf: float) -> str:
        end = text.attachment("f", (0, 0, 0), ("base", "r"), leaf=True, **leaf)
        return sliders(text, [NOTHING], (1, 0), links={0: end}, base=text.attachment("r", (0, 0, 0), **root))

    stages = {
        "no gains, offset 5": fixed(offset=5.0), "limitStiffness 10 alone": fixed(limitStiffness=10.0),
        "limitStiffness 10, limits of 1e38": fixed(limitStiffness=10.0, lowerLimit=-1e38, upperLimit=1e38),
        "limitStiffness 10, upperLimit 0.5": fixed(limitStiffness=10.0, upperLimit=0.5),
        "upperLimit 0.5 alone": fixed(upperLimit=0.5), "stiffness 10": fixed(stiffness=10.0),
        "stiffness 10, upperLimit 0.5": fixed(stiffness=10.0, upperLimit=0.5),
        "spatial, no gains": spatial({}, restLength=0.0),
        "spatial, limitStiffness 10 alone": spatial({"limitStiffness": 10.0}, restLength=0.0),
        "spatial, limitStiffness 10, upperLimit 0.5": spatial({"limitStiffness": 10.0}, upperLimit=0.5),
        "spatial, stiffness 10, upperLimit 0.5": spatial({"stiffness": 10.0}, restLength=0.0, upperLimit=0.5),
    }
    stages |= {f"leaf gearing {gearing:g}, rest length {rest:g}": spatial(
        {"stiffness": 10.0}, gearing=gearing, restLength=rest) for gearing in (1.0, 2.0, 0.0, -1.0)
        for rest in (0.0, 0.5)}
    stages |= {f"gearing {gearing:g}, forceCoefficient {force:g}, rest length 0.5": sliders(text, [text.tendon_axis(
        "t", gearing, force, True, stiffness=10.0, restLength=0.5)], (1, 0)) for gearing, force in (
            (1.0, 1.0), (0.0, 1.0), (1.0, 0.0))}
    return {label: (usda, [1.0]) for label, usda in stages.items()}


def short(text: ModuleType) -> dict[str, str]:
    """A spatial tendon on a slider, by rest length, pose, joint state, centre of mass and place on the link."""
    root = text.attachment("r", (0, 0, 0), stiffness=10.0)

    def posed(place: float, state: float, center: float = 0.0, local: float = 0.0, **leaf: float) -> str:
        end = text.attachment("f", (local, 0, 0), ("base", "r"), leaf=True, **{"restLength": 1.0, **leaf})
        part = text.both(end, ([], {"point3f physics:centerOfMass": (center, 0, 0)}))
        body = text.fixed_base(root) + text.link("l0", (place, 0, 0), part=part)
        body += text.joint("Prismatic", "j0", "base", "l0", "X", part=text.joint_state("linear", position=state))
        return str(text.stage(body, text.scene(0.0), (1, 0)))

    return {
        **{f"rest length 1, posed at {place:g}, joint state {state:g}": posed(place, state)
           for place, state in ((0.0, 0.0), (0.0, 0.001), (0.0, 0.0011), (0.0, 0.5), (0.5, 0.0))},
        **{f"rest length 1, centre of mass {center:g}, localPos {local:g}": posed(0.0, 0.0, center, local)
           for center, local in ((0.0, 0.5), (0.5, 0.0), (0.5, -0.5))},
        **{f"rest length {rest:g}, gearing {gearing:g}, posed at {place:g}, joint state {state:g}": posed(
            place, state, restLength=rest, gearing=gearing)
           for rest, gearing, place, state in (
               (-1.0, 1.0, 0.5, 0.5), (-1.0, 1.0, 0.5, 1.0), (-1e-6, 1.0, 0.5, 1.0), (-3e38, 1.0, 0.5, 1.0),
               (-1.0, 2.0, 0.5, 1.0), (-1.0, -1.0, 0.5, 1.0), (0.0, 1.0, 0.5, 1.0))},
    }


def settling(text: ModuleType) -> dict[str, str]:
    """One slider under gravity 1 along x, damped, with the gearing and force coefficient of a row; where it ends."""
    found = {}
    for stiffness in (100.0, 1e5):
        for gearing, force in ((1.0, 1.0), (2.0, 2.0), (0.5, 0.5), (1.0, 2.0), (2.0, 0.5)):
            part = text.tendon_axis("t", gearing, force, True, stiffness=stiffness, damping=stiffness / 50.0)
            stage = text.sliders([part], axis="Z", gravity=1.0, iterations=(4, 0))
            found[f"stiffness {stiffness:g}, gearing {gearing:g}, forceCoefficient {force:g}"] = str(stage)
    return found


def diverging(text: ModuleType) -> dict[str, str]:
    """Tendons that push a slider away from rest."""
    root = text.attachment("r", (0, 0, 0), stiffness=10.0)
    end = text.attachment("f", (0, 0, 0), ("base", "r"), leaf=True, restLength=0.0, gearing=-1.0)
    return {
        "gearing -1, forceCoefficient 1": sliders(text, [text.tendon_axis("t", -1.0, None, True, stiffness=10.0)]),
        "leaf gearing -1": sliders(text, [NOTHING], links={0: end}, base=root),
    }


def print_long(engine: ModuleType, text: ModuleType) -> None:
    """Positions after many steps."""
    away, steady = diverging(text), settling(text)
    results = engine.run_jobs([engine.sim_job(usda, STEP, 300, joint_pos0=[0.01]) for usda in away.values()]
                              + [engine.sim_job(usda, STEP, 3000) for usda in steady.values()])
    for label, result in zip(away, results, strict=False):
        print(f"{label:50} from 0.01 after 3 s: {float(result['q'][-1, 0]):g}")
    for label, result in zip(steady, results[len(away):], strict=True):
        print(f"{label:50} settles at {float(result['q'][-1, 0]):.7g}, speed {float(result['qd'][-1, 0]):g}")


def print_crashes(engine: ModuleType, text: ModuleType) -> None:
    """What becomes of the engine with a root axis on other joints."""
    for kind in ("Fixed", "Spherical"):
        body = text.fixed_base() + text.link("l0") + text.link("l1")
        body += text.joint(kind, "j0", "base", "l0", part=text.tendon_axis("t", root=True, stiffness=10.0))
        body += text.joint("Prismatic", "j1", "l0", "l1", part=text.tendon_axis("t"))
        try:
            engine.simulate(str(text.stage(body, text.scene(0.0))), STEP, 1)
            print(f"root axis on a {kind.lower()} joint: no crash")
        except engine.OracleError as error:
            print(f"root axis on a {kind.lower()} joint: {str(error).splitlines()[0]}")


def main() -> None:
    """Velocities after one step, positions after many, and what the engine says of the stage that crashes it."""
    oracle = load_oracle()
    text, engine = oracle.text, oracle.engine
    cases = {**one_step(text), **idle(text)}
    near = short(text)
    results = engine.run_jobs([engine.sim_job(usda, STEP, 1, joint_pos0=start, joint_vel0=[0.0] * len(start))
                               for usda, start in cases.values()]
                              + [engine.sim_job(usda, STEP, 1) for usda in near.values()])
    for label, result in zip((*cases, *near), results, strict=True):
        print(f"{label:50} velocity {result['qd'][-1]}")
    print("\n".join(dict.fromkeys(line for line in results[0]["log"].splitlines() if "warmup" not in line)))
    print_long(engine, text)
    print_crashes(engine, text)


if __name__ == "__main__":
    main()
