"""What the remedies of how a robot behaves do: joints arrive and stay, and nothing runs away."""

from __future__ import annotations

from physx_schema.checking.engine.finding import ApplySchema, Edit, SetTargets, SetValue
from support.physx.effects import Finite, Freed, Moves, Reaches, Starts, Within
from support.physx.remedy_effects.names import DEGREE, DRIVEN, J2, MIMIC, at, of_j2
from support.physx.remedy_rows import Also, Row, also, row

CRATE, SLAB = "/Robot/crate", "/Robot/slab"
TARGET = Reaches("j2", 20 * DEGREE)
LEVEL = Reaches("j2", 0.0)
STARTED = (Starts("j2", (10 * DEGREE,)), Freed())
GAINS = "smaller gains, more damping and heavier links are other robots"
FOLLOWS = Within("j2", 0.06)
PARTED = Reaches("slide_bar", 0.0)


def authored(words: str, *effects: Reaches | Within, **values: float) -> Also:
    """Following the finding's own numbers: a drive's opinions, or the joint's largest velocity."""
    names = {"maxJointVelocity": "physxJointAxis:angular:maxJointVelocity"}
    edits: tuple[Edit, ...] = tuple(
        of_j2(names.get(name, f"drive:angular:physics:{name}"), value) for name, value in values.items())
    return also(words, *effects, edits=edits)


BEHAVIOUR: dict[str, Row] = {
    "behaviour/too-weak": row(LEVEL, also=(authored("author maxForce 11.8", LEVEL, maxForce=11.8),)),
    "behaviour/friction": row(TARGET, also=(authored("author maxForce 3.8", TARGET, maxForce=3.8),)),
    "behaviour/sag": row(LEVEL, also=(
        authored("author stiffness 19.7 and damping 1.66", LEVEL, stiffness=19.7, damping=1.66),)),
    "behaviour/slow": row(Moves("j2"), repair=(TARGET,), also=(
        authored("author damping 0.265", TARGET, damping=0.265),)),
    "behaviour/swings": row(Moves("j2"), repair=(TARGET,), also=(
        authored("author damping 0.265", TARGET, damping=0.265),)),
    "behaviour/speed-limit": row(Reaches("j2", 40 * DEGREE), also=(
        authored("author maxJointVelocity 115", Reaches("j2", 40 * DEGREE), maxJointVelocity=115.0),)),
    "behaviour/blocked": row(Reaches("j3", 40 * DEGREE), also=(also(
        "author a target that the joint can reach", Reaches("j3", 10 * DEGREE),
        edits=(SetValue("/Robot/j3", "drive:angular:physics:targetPosition", 10.0, "float"),)),)),
    "behaviour/follower": row(FOLLOWS, repair_loses=MIMIC, also=(
        also("author naturalFrequency 31.3", FOLLOWS, loses=MIMIC,
             edits=(of_j2("physxMimicJoint:rotX:naturalFrequency", 31.3),)),
        also("0 for a hard coupling", FOLLOWS, loses=MIMIC,
             edits=(of_j2("physxMimicJoint:rotX:naturalFrequency", 0.0),)))),
    "behaviour/diverges": row(DRIVEN, Finite(), untried=GAINS),
    "behaviour/absurd-speed": row(Within("slide_sled", 1.0), untried=GAINS),
    "behaviour/grows": row(Within("j2", 0.1001), untried=GAINS),
    "behaviour/falls": row(
        Reaches(CRATE, at(-0.1)),
        also=(also("fix the body or robot to the world with a joint", Reaches(CRATE, at(0.0)), adds=(
            'def PhysicsFixedJoint "hold" {\nrel physics:body1 = </Robot/crate>\n'
            "bool physics:excludeFromArticulation = true\n}\n"), loses="what is fixed to the world moves nowhere"),)),
    "behaviour/start-outside": row(Starts("j2", (20 * DEGREE,)), Freed(), repair=STARTED, also=(also(
        "author a joint state within the limits, such as 10", *STARTED, edits=(
            ApplySchema(J2, "PhysicsJointStateAPI:angular"), of_j2("state:angular:physics:position", 10.0))),)),
    "behaviour/start-overlap": row(PARTED, also=(
        also("filter the pair with PhysicsFilteredPairsAPI", PARTED, edits=(
            ApplySchema("/Robot/bar/shape", "PhysicsFilteredPairsAPI"),
            SetTargets("/Robot/bar/shape", "physics:filteredPairs", ("/Robot/rod/shape",)))),
        also("physxArticulation:enabledSelfCollisions false on /Robot", PARTED, edits=(
            ApplySchema("/Robot", "PhysxArticulationAPI"),
            SetValue("/Robot", "physxArticulation:enabledSelfCollisions", False, "bool"))))),
    "behaviour/in-ground": row(Starts(CRATE, at(0.5)), Freed(), Moves(CRATE),
                               untried="a crate is the root of its robot"),
}
