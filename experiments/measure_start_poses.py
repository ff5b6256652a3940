"""Measure in real PhysX where links are before the first step when their poses and their joints disagree.

Needs the environment that `oracle.py` describes. A base, fixed to the world unless said otherwise, and links
without gravity; joint frames are at the links' origins but for what a row says. Prints each link's pose before and
after one step.
"""

from __future__ import annotations

from types import ModuleType

from oracle import load_oracle

STEP = 1 / 60
ABOVE = (0.0, 0.0, 1.0)
TURNED = 30.0       # degrees about x


def turned(text: ModuleType, name: str) -> str:
    """A link posed 30 degrees about x."""
    order = "uniform token[] xformOpOrder = ["
    return str(text.link(name)).replace(
        order + '"xformOp:translate"',
        f"float xformOp:rotateX = {TURNED}\n    {order}" + '"xformOp:translate", "xformOp:rotateX"')


def stages(text: ModuleType) -> dict[str, str]:
    """Every stage by description."""
    link, joint, base = text.link, text.joint, text.fixed_base()
    anchored = link("base") + joint("Fixed", "fix", None, "base", pos0=ABOVE)
    bodies = {
        "anchor frame 1 above": anchored + link("a") + joint("Revolute", "j", "base", "a"),
        "fixed joint, frame 1 above": base + link("a") + joint("Fixed", "f", "base", "a", pos0=ABOVE) + link("b")
        + joint("Revolute", "j", "a", "b"),
        "spherical joint, frame 1 above": base + link("a") + joint("Spherical", "j", "base", "a", pos0=ABOVE),
        "spherical joint, posed 30 degrees": base + turned(text, "a") + joint("Spherical", "j", "base", "a"),
        "hinge, posed 30 degrees": base + turned(text, "a") + joint("Revolute", "j", "base", "a"),
        "floating hinge, posed 30 degrees": link("base") + turned(text, "a") + joint("Revolute", "j", "base", "a"),
        "second joint to the world": base + link("a") + joint("Prismatic", "j", "base", "a", "Z")
        + joint("Prismatic", "w", None, "a", "Z"),
    }
    return {label: str(text.stage(body, text.scene(0.0))) for label, body in bodies.items()}


def main() -> None:
    """Run every stage in one engine process."""
    oracle = load_oracle()
    cases = stages(oracle.text)
    results = oracle.engine.run_jobs([oracle.engine.sim_job(usda, STEP, 1) for usda in cases.values()])
    for label, result in zip(cases, results, strict=True):
        print(f"{label}: joints {[str(path) for path in result['all_joint_paths']]}")
        for name, before, after in zip(result["link_names"], result["link_pose"][0], result["link_pose"][-1],
                                       strict=True):
            print(f"    {name!s:6} before {before.round(3).tolist()}  after {after.round(3).tolist()}")
    print("\n".join(dict.fromkeys(line for line in results[0]["log"].splitlines() if "warmup" not in line)))


if __name__ == "__main__":
    main()
