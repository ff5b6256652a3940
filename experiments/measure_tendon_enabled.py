"""Measure in real PhysX what `tendonEnabled` and the length limits of tendons do.

Needs the environment that `oracle.py` describes. Prints a table; writes nothing.

The sliders have unit mass, no gravity and no damping, and take one step of 0.01 s from rest: a force of -10 held over
the step gives a velocity of -0.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from oracle import ITERATIONS, STEP, Oracle, Part, load_oracle

STRETCHED = 1.0                                             # length error of every experiment


@dataclass(frozen=True, slots=True)
class Experiment:
    """One slider stage and where it starts."""

    label: str
    usda: str
    position: float                                         # slider, distance


def with_flag(part: Part, name: str, enabled: bool | None) -> Part:
    """The part with `tendonEnabled` of tendon `name` authored, unless `enabled` is None."""
    schemas, attributes = part
    flag = {} if enabled is None else {f"bool physxTendon:{name}:tendonEnabled": enabled}
    return schemas, {**attributes, **flag}


def fixed_tendon(text: ModuleType, enabled: bool | None, iterations: tuple[int, int], **values: float) -> str:
    """A slider with a fixed tendon of gearing 1."""
    axis = with_flag(text.tendon_axis("t", root=True, **values), "t", enabled)
    return str(text.sliders([axis], iterations=iterations))


def spatial_tendon(text: ModuleType, enabled: bool | None, iterations: tuple[int, int], stiffness: float = 0.0,
                   limit_stiffness: float = 0.0, **leaf: float) -> str:
    """A slider with a spatial tendon from the base's origin to the link's."""
    root = text.attachment("r", (0, 0, 0), stiffness=stiffness, limitStiffness=limit_stiffness)
    end = text.attachment("f", (0, 0, 0), ("base", "r"), leaf=True, **leaf)
    return str(text.sliders([([], {})], iterations=iterations, links={0: end}, base=with_flag(root, "r", enabled)))


def flag_experiments(text: ModuleType) -> list[Experiment]:
    """Both kinds of tendon with the flag unauthored, true and false, and the slider alone."""
    spring = {"stiffness": 10.0, "restLength": 0.0}
    limit = {"limitStiffness": 10.0, "upperLimit": 0.0}
    found = []
    for iterations in ITERATIONS:
        counts = f"{iterations[0]}/{iterations[1]}"
        alone = str(text.sliders([([], {})], iterations=iterations))
        found.append(Experiment(f"{counts} no tendon", alone, STRETCHED))
        for enabled in (None, True, False):
            flag = {None: "unauthored", True: "true", False: "false"}[enabled]
            found.append(Experiment(f"{counts} fixed, spring, {flag}",
                                    fixed_tendon(text, enabled, iterations, **spring), STRETCHED))
            found.append(Experiment(f"{counts} fixed, limit, {flag}",
                                    fixed_tendon(text, enabled, iterations, **limit), STRETCHED))
            found.append(Experiment(f"{counts} spatial, spring, {flag}",
                                    spatial_tendon(text, enabled, iterations, 10.0, restLength=0.0), STRETCHED))
            found.append(Experiment(f"{counts} spatial, limit, {flag}",
                                    spatial_tendon(text, enabled, iterations, limit_stiffness=10.0, restLength=0.0,
                                                   upperLimit=0.0), STRETCHED))
    return found


def limit_experiments(text: ModuleType) -> list[Experiment]:
    """Length limits of a spatial tendon's leaf: unauthored, one-sided, negative and crossed; distance is 1."""
    leaves: list[dict[str, float]] = [
        {}, {"lowerLimit": 2.0}, {"upperLimit": 0.5}, {"lowerLimit": -1.0}, {"upperLimit": -1.0},
        {"lowerLimit": 0.5, "upperLimit": 2.0}, {"lowerLimit": 2.0, "upperLimit": 0.5},
        {"lowerLimit": 0.2, "upperLimit": 0.1},
    ]
    spatial = [Experiment(f"1/0 spatial, leaf {leaf}", spatial_tendon(text, None, (1, 0), limit_stiffness=10.0, **leaf),
                          STRETCHED) for leaf in leaves]
    fixed = [Experiment(f"1/0 fixed, root {axis}", fixed_tendon(text, None, (1, 0), limitStiffness=10.0, **axis),
                        STRETCHED) for axis in leaves]
    return spatial + fixed


def hinge_chain(text: ModuleType, kind: str, enabled: bool) -> str:
    """Three driven hinges under gravity with a "fixed", a "spatial" or (kind "none") no tendon."""
    spring = text.drive("angular", stiffness=0.5, damping=0.05)
    axes: list[Part] = [([], {})] * 3
    links: dict[int, Part] = {}
    base: Part = ([], {})
    if kind == "fixed":
        root = text.tendon_axis("t", root=True, stiffness=10.0, damping=1.0)
        axes = [with_flag(root, "t", enabled), text.tendon_axis("t"), text.tendon_axis("t")]
    elif kind == "spatial":
        base = with_flag(text.attachment("r", (0.3, 0, 0), stiffness=40.0, damping=1.0), "r", enabled)
        links = {1: text.attachment("m", (0.1, 0, 0), ("base", "r")),
                 2: text.attachment("f", (0.1, 0, 0), ("l1", "m"), leaf=True, restLength=0.3)}
    return str(text.hanging_chain([text.both(axis, spring) for axis in axes], iterations=(4, 1), links=links,
                                  base=base))


def print_steps(oracle: Oracle) -> None:
    """One-step velocities of every slider, and what the engine said."""
    experiments = flag_experiments(oracle.text) + limit_experiments(oracle.text)
    jobs = [oracle.engine.sim_job(e.usda, STEP, 1, joint_pos0=[e.position], joint_vel0=[0.0]) for e in experiments]
    results = oracle.engine.run_jobs(jobs)
    print(f"{'experiment':58} {'velocity':>12}  fixed  spatial tendons in the engine")
    for experiment, result in zip(experiments, results, strict=True):
        counts = f"{int(result['fixed_tendons']):5}  {int(result['spatial_tendons']):7}"
        print(f"{experiment.label:58} {float(result['qd'][1, 0]):12.7f}  {counts}")
    print("\n".join(line for line in results[0]["log"].splitlines() if "warmup" not in line))


def print_disabled(oracle: Oracle) -> None:
    """What the engine reports of a disabled tendon, and how far 60 steps of a chain differ from those without it."""
    engine, text = oracle.engine, oracle.text
    fixed = fixed_tendon(text, False, (4, 0), stiffness=10.0, damping=2.0, limitStiffness=3.0, upperLimit=5.0)
    spatial = spatial_tendon(text, False, (4, 0), 10.0, 3.0, restLength=0.2)
    chains = [hinge_chain(text, "none", True)]
    chains += [hinge_chain(text, kind, enabled) for kind in ("fixed", "spatial") for enabled in (False, True)]
    jobs = [engine.dyn_job(fixed), engine.dyn_job(spatial)]
    jobs += [engine.sim_job(chain, 1 / 60, 60, joint_pos0=[0.6, 0.3, -0.2]) for chain in chains]
    fixed_read, spatial_read, none, *others = engine.run_jobs(jobs)
    print("read back from a disabled fixed tendon of 10, 2, 3:",
          *(fixed_read[name] for name in ("ft_stiffness", "ft_damping", "ft_limit_stiffness")))
    print("read back from a disabled spatial tendon of 10, 0, 3:",
          *(spatial_read[name] for name in ("st_stiffness", "st_damping", "st_limit_stiffness")))
    labels = ("fixed, false", "fixed, true", "spatial, false", "spatial, true")
    for label, other in zip(labels, others, strict=True):
        difference = abs(other["q"] - none["q"]).max()
        print(f"three hinges, 60 steps, {label:14} largest |q - q without tendon| {difference:.3g}")


def main() -> None:
    """Run every experiment."""
    oracle = load_oracle()
    print_steps(oracle)
    print_disabled(oracle)


if __name__ == "__main__":
    main()
