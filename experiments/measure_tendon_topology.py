"""Measure in real PhysX which joints and attachments become part of a tendon, and which are dropped.

Needs the environment that `oracle.py` describes. The sliders have unit mass, no gravity and no damping, and
take one step of 0.01 s from rest with one position iteration; a spring of 10 stretched by 1 gives a velocity of -0.1.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from oracle import STEP, Part, load_oracle

NOTHING: Part = ([], {})
ITERATIONS = (1, 0)


def arrays(text: ModuleType, **values: object) -> Part:
    """A root axis with array attributes of several elements."""
    schemas, attributes = text.tendon_axis("t", root=True, stiffness=10.0)
    types: dict[str, str] = {"gearing": "float[]", "forceCoefficient": "float[]", "jointAxis": "uniform token[]"}
    return schemas, {**attributes, **{f"{types[name]} physxTendon:t:{name}": value for name, value in values.items()}}


def with_fixed_joint(text: ModuleType, part: Part) -> str:
    """Two sliders of one tendon with a fixed joint between them, which carries `part`."""
    body = text.fixed_base() + text.link("l0") + text.link("l1") + text.link("l2")
    body += text.joint("Prismatic", "j0", "base", "l0", "X", part=text.tendon_axis("t", root=True, stiffness=10.0))
    body += text.joint("Fixed", "weld", "l0", "l1", part=part)
    body += text.joint("Prismatic", "j1", "l1", "l2", "X", part=text.tendon_axis("t"))
    return str(text.stage(body, text.scene(0.0), ITERATIONS))


def fixed_tendons(text: ModuleType) -> dict[str, tuple[str, list[float]]]:
    """Stages and slider positions by description."""
    root, axis = text.tendon_axis("t", root=True, stiffness=10.0), text.tendon_axis("t")
    passed = text.tendon_axis("t", gearing=0.0, force=0.0)

    def sliders(parts: list[Part], serial: bool = True) -> str:
        return str(text.sliders(parts, serial=serial, iterations=ITERATIONS))

    return {
        "three in series, no axis on the middle one": (sliders([root, NOTHING, axis]), [0.0, 0.0, 1.0]),
        "three in series, middle one geared 0": (sliders([root, passed, axis]), [0.0, 0.0, 1.0]),
        "side by side": (sliders([root, axis], serial=False), [0.0, 1.0]),
        "two roots of one name": (sliders([root, root]), [0.0, 1.0]),
        "an axis without root": (sliders([axis]), [1.0]),
        "fixed joint between, no axis": (with_fixed_joint(text, NOTHING), [0.0, 1.0]),
        "fixed joint between, with axis": (with_fixed_joint(text, axis), [0.0, 1.0]),
        "gearing [2, 3], forceCoefficient [1, 5]": (
            sliders([arrays(text, gearing=[2.0, 3.0], forceCoefficient=[1.0, 5.0])]), [1.0]),
        "empty gearing": (sliders([arrays(text, gearing=[])]), [1.0]),
        "jointAxis rotY on a slider": (sliders([arrays(text, jointAxis=["rotY"])]), [1.0]),
        "root axis and axis on one joint": (sliders([with_schemas(root, "PhysxTendonAxisAPI:t")]), [1.0]),
        "the same, and an axis below": (sliders([with_schemas(root, "PhysxTendonAxisAPI:t"), axis]), [1.0, 0.0]),
        "root axis, and an axis below": (sliders([root, axis]), [1.0, 0.0]),
    }


def with_schemas(part: Part, *schemas: str) -> Part:
    """A part with further schemas, which share its properties."""
    return [*part[0], *schemas], part[1]


def spatial_tendons(text: ModuleType) -> dict[str, tuple[str, list[float]]]:
    """Stages and slider positions by description."""
    root = text.attachment("r", (0, 0, 0), stiffness=10.0)

    def end(name: str = "f", parent: tuple[str, str] = ("base", "r"), leaf: bool = True) -> Any:
        return text.attachment(name, (0, 0, 0), parent, leaf=leaf, **({"restLength": 0.0} if leaf else {}))

    def sliders(base: Part, *links: Part, serial: bool = False) -> str:
        return str(text.sliders([NOTHING] * len(links), serial=serial, iterations=ITERATIONS, base=base,
                                links=dict(enumerate(links))))

    return {
        "root on the slider, leaf on the base": (sliders(end(parent=("l0", "r")), root), [1.0]),
        "path without a leaf": (sliders(root, end(leaf=False)), [1.0]),
        "parentAttachment misspelt": (sliders(root, end(parent=("base", "x"))), [1.0]),
        "a leaf below a leaf": (sliders(root, end(), end("g", ("l0", "f")), serial=True), [1.0, 1.0]),
        "two leaves": (sliders(root, end(), end("g")), [1.0, 2.0]),
        **faulty(text, root, end, sliders),
    }


def faulty(text: ModuleType, root: Part, end: Callable[..., Part], sliders: Callable[..., str]) -> dict[
        str, tuple[str, list[float]]]:
    """Parents that are several, in a ring, or lead nowhere, and names that two kinds of attachment share."""
    def held(name: str, parent: tuple[str, str]) -> Part:
        part: Part = text.attachment(name, (0, 0, 0), parent)
        return part

    def parents(*links: str) -> Part:
        schemas, values = end()
        return schemas, {**values, "rel physxTendon:f:parentLink": [f"</World/art/{link}>" for link in links]}

    last = end("f", ("l0", "n"))
    ring = text.both(root, held("m", ("l0", "n")))
    return {
        "parentLink: base and l1": (sliders(root, parents("base", "l1"), NOTHING), [1.0, 5.0]),
        "parentLink: l1 and base": (sliders(root, parents("l1", "base"), NOTHING), [1.0, 5.0]),
        "root, between, leaf": (sliders(root, held("n", ("base", "r")), last), [1.0, 2.0]),
        "between names itself as parent": (sliders(root, held("n", ("l0", "n")), last), [1.0, 2.0]),
        "ring of two, a leaf below": (sliders(ring, held("n", ("base", "m")), last), [1.0, 2.0]),
        "leaf below one whose parent is missing": (sliders(root, held("n", ("base", "x")), last), [1.0, 2.0]),
        "leaf and plain attachment of one name": (
            sliders(root, with_schemas(end(), "PhysxTendonAttachmentAPI:f")), [1.0]),
        "root and leaf of one name, where the leaf is": (
            sliders(root, with_schemas(end(), "PhysxTendonAttachmentRootAPI:f")), [1.0]),
    }


def main() -> None:
    """Run every stage in one engine process; print the velocities after one step and what the engine said."""
    oracle = load_oracle()
    stages = {**{f"fixed: {k}": v for k, v in fixed_tendons(oracle.text).items()},
              **{f"spatial: {k}": v for k, v in spatial_tendons(oracle.text).items()}}
    jobs = [oracle.engine.sim_job(usda, STEP, 1, joint_pos0=position, joint_vel0=[0.0] * len(position))
            for usda, position in stages.values()]
    results = oracle.engine.run_jobs(jobs)
    for label, result in zip(stages, results, strict=True):
        tendons = int(result["fixed_tendons"]) + int(result["spatial_tendons"])
        print(f"{label:55} tendons {tendons}  velocity {result['qd'][1]}")
    print("\n".join(dict.fromkeys(line for line in results[0]["log"].splitlines() if "warmup" not in line)))


if __name__ == "__main__":
    main()
