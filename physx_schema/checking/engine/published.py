"""The published rules and features of SimReady about physics, with the codes of physx-schema that judge them.

SimReady names a rule by a code (RB.010, in full com.nvidia.simready.RB.010) and a group of rules as a feature
(FET_003_PHYSX). Options accept both in place of our codes. Versions are those of simready-foundation 2026.8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from physx_schema.checking.engine.finding import Finding, rank
from physx_schema.checking.engine.rule import concerns

PREFIXES = ("com.nvidia.simready.", "com.nvidia.usd.")
State = Literal["pass", "fail", "not evaluated"]


@dataclass(frozen=True, slots=True)
class Published:
    """One published rule."""

    code: str                   # "RB.010"
    name: str                   # the published name: "invisible-collision-mesh-has-purpose-guide"
    ours: tuple[str, ...] = ()  # our codes and families that fail it; "value/range@mass": on such properties
    gap: str = ""               # the part that ours do not check; the rule then never passes


@dataclass(frozen=True, slots=True)
class Feature:
    """A published feature: it passes if its rules and those of the features that it needs pass."""

    id: str                     # "FET_003_PHYSX"
    version: str
    title: str
    codes: tuple[str, ...]
    needs: tuple[str, ...] = ()     # other features
    gap: str = ""               # requirements that are not checked


_ISAAC = "the robot schema of Isaac Sim is not read"
_ENGINE = "the rule is about another engine"
_VALUES = ("value/range", "value/not-finite")


def _values(*names: str) -> tuple[str, ...]:
    """Codes of numbers out of range or not finite, on properties of these base names."""
    return tuple(f"{code}@{name}" for code in _VALUES for name in names)


_MASS = ("body/no-mass", "body/mass-unauthored", *_values("mass"))
_NO_SHAPE = ("collider/no-shape", "collider/not-geometry")
_RULES = (
    Published("DJ.001", "physics-drive-and-joint-state", (
        "DJ.001", "joint/drive-refused", "joint/drive-powerless", *_values("maxForce"))),
    Published("DJ.002", "joint-has-joint-state-api", ("DJ.002", "joint/state-refused")),
    Published("DJ.003", "joint-has-correct-transform-and-state", ("DJ.003", "joint/frame-refused")),
    Published("DJ.004", "physics-joint-has-drive-or-mimic-api", ("DJ.004", "DJ.007/drive-fight")),
    Published("DJ.005", "physics-joint-max-velocity", (
        "DJ.005", "joint/no-velocity", *_values("maxJointVelocity"))),
    Published("DJ.006", "drive-joint-value-reasonable", (
        "DJ.006", *_values("stiffness", "damping", "targetPosition", "targetVelocity", "maxForce"))),
    Published("DJ.007", "mimic-api-check", ("DJ.007",)),
    Published("DJ.008", "robot-schema-joint-exist", (), _ISAAC),
    Published("DJ.009", "robot-schema-links-exist", (), _ISAAC),
    Published("DJ.010", "check-robot-relationships", (), _ISAAC),
    Published("DJ.011", "no-articulation-loops", ("DJ.011", "joint/same-body")),
    Published("RB.001", "rigid-body-capability", ("stage/no-body",)),
    Published("RB.003", "rigid-body-schema-application", ("body/not-xformable",)),
    Published("RB.005", "rigid-body-no-instancing", ("body/in-instance", "articulation/in-instance")),
    Published("RB.006", "rigid-body-no-nesting", ("body/nested-in-body",)),
    Published("RB.007", "rigid-body-mass", ("body/mass-partial", *_MASS)),
    Published("RB.008", "rigid-body-detailed-mass", (
        "body/inertia-triangle", "body/inertia-incomplete", "body/zero-inertia", "value/not-unit@principalAxes",
        *_values("diagonalInertia"))),
    Published("RB.009", "rigid-body-schema-no-skew-matrix", ("body/transform-sheared",)),
    Published("RB.010", "invisible-collision-mesh-has-purpose-guide", ("collider/invisible-mesh",)),
    Published("RB.011", "nested-rigid-body-mass", _MASS),
    Published("RB.012", "rigid-body-no-nesting-without-joint", ("body/nested-unjoined",)),
    Published("RB.013", "rigid-body-collider", ("body/no-collider",)),
    Published("RB.MB.001", "rigid-body-multibody-capability", ("stage/no-body", "stage/one-body")),
    Published("RB.COL.001", "collider-capability", (*_NO_SHAPE, "collider/merged")),
    Published("RB.COL.002", "mesh-collision-api", ("collider/mesh-schema", "collider/merged")),
    Published("RB.COL.003", "collider-mesh", ("collider/stretched", "collider/mesh-schema")),
    Published("RB.COL.004", "collider-non-uniform-scale", ("collider/stretched",)),
    Published("PHYSX.COL.001", "physx-collider-capability", _NO_SHAPE),
    Published("PHYSX.COL.002", "physx-collider-mesh", ("collider/mesh-schema",)),
    Published("COL.001", "collider-approximation-sdf", (), "no current feature requires this rule"),
    Published("PMT.001", "collider-material-binding", ("material/unbound-collider",)),
    Published("JT.001", "joint-capability", ("joint/no-bodies",)),
    Published("JT.002", "joint-body-target-exists", ("joint/missing-body",)),
    Published("JT.003", "joint-no-multiple-body-targets", ("joint/several-bodies",)),
    Published("JT.ART.001", "articulation", ("articulation/no-root",)),
    Published("JT.ART.002", "articulation-no-nesting", ("articulation/nested-root",)),
    Published("JT.ART.003", "articulation-not-on-kinematic-body", ("articulation/static-root",)),
    Published("JT.ART.004", "articulation-not-on-static-body", ("articulation/static-root",)),
    Published("BA.001", "has-articulation-root", (
        "articulation/root-count", "articulation/nested-root", "articulation/no-bodies")),
    Published("BA.002", "non-adjacent-collision-meshes-do-not-clash", ("body/overlap",),
              "overlaps of hulls and of links that do not collide are not checked"),
    Published("UN.001", "upaxis", ("stage/up-axis",), "a missing upAxis is not reported"),
    Published("UN.002", "meters-per-unit", ("stage/units",), "a missing metersPerUnit is not reported"),
    Published("UN.003", "kilograms-per-unit", ("stage/kilograms",)),
    Published("UN.005", "timecodes-per-second", (), "physics does not use time samples"),
    Published("UN.006", "upaxis-z", ("stage/up-axis", "stage/not-z-up")),
    Published("UN.007", "meters-per-unit-1", ("stage/units", "stage/not-metres")),
    Published("GSP.001", "graspable-vector-line", (), "grasp lines are not part of physics"),
    *(Published(code, name, (), _ENGINE) for code, name in (
        ("NEWTON.DJ.001", "newton-joint-drive-api"), ("NEWTON.DJ.002", "newton-joint-attributes"),
        ("NEWTON.DJ.003", "newton-mimic-api"), ("NEWTON.COL.001", "newton-collider-api"),
        ("NEWTON.COL.002", "newton-sdf-attributes"), ("NEWTON.MAS.001", "newton-mass-attributes"),
        ("NEWTON.MAT.001", "newton-material-attributes"), ("NEWTON.BA.001", "newton-articulation-root-config"),
        ("MUJOCO.DJ.001", "mujoco-joint-api"), ("MUJOCO.DJ.002", "mujoco-actuator-targets"),
        ("MUJOCO.COL.001", "mujoco-collider-api"), ("MUJOCO.COL.002", "mujoco-mesh-collision-api"),
        ("MUJOCO.BA.001", "mujoco-standard-articulation-root"))),
)
PUBLISHED_RULES: Mapping[str, Published] = {rule.code: rule for rule in _RULES}

_BODIES = ("RB.001", "RB.003", "RB.005", "RB.007", "RB.009", "RB.010", "RB.COL.003", "RB.COL.004")
_PLAIN = ("RB.COL.001", "RB.COL.002")
_JOINTS = ("JT.001", "JT.002", "JT.003", "JT.ART.002", "JT.ART.003", "JT.ART.004", "RB.MB.001")
_NESTED = ("RB.011", "RB.012")
_NEWTON = ("NEWTON.COL.001", "NEWTON.COL.002", "NEWTON.MAS.001", "NEWTON.MAT.001")
_MUJOCO = ("MUJOCO.COL.001", "MUJOCO.COL.002")
_PHYSX = ("PHYSX.COL.001", "PHYSX.COL.002")
FEATURES: Mapping[str, Feature] = {feature.id: feature for feature in (
    Feature("FET_001_STANDARD", "1.0.1", "Minimal Placeable Visual", ("UN.006", "UN.007"),
            gap="the feature's requirements on meshes and hierarchies are not part of physics"),
    Feature("FET_003_STANDARD", "0.2.0", "Rigid Body Physics", (*_BODIES, *_PLAIN)),
    Feature("FET_003_PHYSX", "0.4.0", "Rigid Body Physics (PhysX)", (*_BODIES, *_PHYSX)),
    Feature("FET_003_NEWTON", "0.1.0", "Rigid Body Physics (Newton)", (*_BODIES, *_PLAIN, *_NEWTON)),
    Feature("FET_003_MUJOCO", "0.1.0", "Rigid Body Physics (MuJoCo)", (*_BODIES, *_PLAIN, *_MUJOCO)),
    Feature("FET_004_STANDARD", "0.2.0", "Simulate Multi-Body Physics", _JOINTS, ("FET_003_STANDARD",)),
    Feature("FET_004_PHYSX", "0.4.0", "Simulate Multi-Body Physics (PhysX)", (*_JOINTS, *_NESTED), ("FET_003_PHYSX",)),
    Feature("FET_004_ROBOT_PHYSX", "0.4.0", "Simulate Multi-Body Physics (Robot PhysX)",
            (*_BODIES, *_PHYSX, *_JOINTS, *_NESTED)),
    Feature("FET_004_NEWTON", "0.1.0", "Simulate Multi-Body Physics (Newton)", (*_JOINTS, *_NESTED),
            ("FET_003_NEWTON",)),
    Feature("FET_004_ROBOT_NEWTON", "0.1.0", "Simulate Multi-Body Physics (Robot Newton)",
            (*_BODIES, *_NEWTON, *_JOINTS, *_NESTED)),
    Feature("FET_004_MUJOCO", "0.1.0", "Simulate Multi-Body Physics (MuJoCo)", (*_JOINTS, *_NESTED),
            ("FET_003_MUJOCO",)),
    Feature("FET_004_ROBOT_MUJOCO", "0.1.0", "Simulate Multi-Body Physics (Robot MuJoCo)",
            (*_BODIES, *_MUJOCO, *_JOINTS, *_NESTED)),
    Feature("FET_005_STANDARD", "0.1.0", "Simulate Grasp Physics", ("PMT.001", "GSP.001")),
    Feature("FET_022_STANDARD", "0.2.0", "Driven Joints", ("DJ.001", "DJ.002", "DJ.003", "DJ.011"),
            ("FET_004_STANDARD",)),
    Feature("FET_022_PHYSX", "0.2.0", "Driven Joints (PhysX)", (
        *(f"DJ.00{number}" for number in range(1, 8)), "DJ.011"), ("FET_004_PHYSX",)),
    Feature("FET_022_ISAAC", "0.2.0", "Driven Joints (Isaac)", ("DJ.008", "DJ.009", "DJ.010"), ("FET_022_PHYSX",)),
    Feature("FET_022_NEWTON", "0.1.0", "Driven Joints (Newton)", (
        "DJ.011", "NEWTON.DJ.001", "NEWTON.DJ.002", "NEWTON.DJ.003"), ("FET_004_ROBOT_NEWTON",)),
    Feature("FET_022_MUJOCO", "0.1.0", "Driven Joints (MuJoCo)", ("DJ.011", "MUJOCO.DJ.001", "MUJOCO.DJ.002"),
            ("FET_004_ROBOT_MUJOCO",)),
    Feature("FET_024_STANDARD", "0.1.0", "Base Articulation", ("BA.001",)),
    Feature("FET_024_PHYSX", "0.1.0", "Base Articulation (PhysX)", ("BA.002",), ("FET_024_STANDARD",)),
    Feature("FET_024_NEWTON", "0.1.0", "Base Articulation (Newton)", ("NEWTON.BA.001",), ("FET_024_STANDARD",)),
    Feature("FET_024_MUJOCO", "0.1.0", "Base Articulation (MuJoCo)", ("MUJOCO.BA.001",), ("FET_024_STANDARD",)),
)}


def bare(name: str) -> str:
    """A published code without the prefix of its publisher; any other name unchanged."""
    return next((name.removeprefix(prefix) for prefix in PREFIXES if name.startswith(prefix)), name)


def published_codes(name: str) -> tuple[str, ...]:
    """The published codes of a SimReady code or feature; none for another name."""
    name = bare(name)
    if name in PUBLISHED_RULES:
        return (name,)
    feature = FEATURES.get(name)
    return codes_of(feature) if feature else ()


def codes_of(feature: Feature) -> tuple[str, ...]:
    """The codes of a feature, then those of the features that it depends on, each once."""
    needed = (code for name in feature.needs for code in codes_of(FEATURES[name]))
    return tuple(dict.fromkeys((*feature.codes, *needed)))


@dataclass(frozen=True, slots=True)
class PublishedVerdict:
    """The verdict on one published rule for one stage."""

    code: str
    name: str
    state: State
    ours: tuple[str, ...] = ()      # codes of the findings that fail it
    reason: str = ""                # why it is not evaluated


@dataclass(frozen=True, slots=True)
class FeatureVerdict:
    """The verdict on a published feature for one stage: the worst of its rules."""

    feature: str
    version: str
    title: str
    state: State
    failed: tuple[str, ...] = ()            # published codes
    not_evaluated: tuple[str, ...] = ()
    reason: str = ""                        # other requirements that are not evaluated


NOT_REQUESTED = "the rule is not in the profile; use --profile simready"
_NO_RULE = "physx-schema has no such rule"


def judged(
    codes: Sequence[str], reasons: Mapping[str, str], findings: Sequence[Finding],
) -> Iterator[PublishedVerdict]:
    """A verdict on each published code. reasons: why one of our codes was not evaluated, "" if it was."""
    failing = [item for item in findings if rank(item.severity) >= rank("warning")]
    for code in codes:
        rule = PUBLISHED_RULES[code]
        ours = tuple(sorted({item.code for item in failing
                             if any(concerns(pattern, item.code, item.property) for pattern in rule.ours)}))
        yield PublishedVerdict(code, rule.name, "fail", ours) if ours else _without_finding(rule, reasons)


def _without_finding(rule: Published, reasons: Mapping[str, str]) -> PublishedVerdict:
    """A pass only if all of our rules were evaluated and they have no gap."""
    by_reason: dict[str, list[str]] = {}
    for pattern in rule.ours:
        own = [(why, code) for code, why in reasons.items() if concerns(pattern, code)]
        for why, code in own or [(_NO_RULE, pattern)]:
            if why:
                by_reason.setdefault(why, []).append(code)
    missing = [f"{', '.join(dict.fromkeys(codes))}: {why}" for why, codes in by_reason.items()]
    reason = "; ".join([rule.gap] * bool(rule.gap) + missing)
    return PublishedVerdict(rule.code, rule.name, "not evaluated" if reason else "pass", reason=reason)


def features_of(verdicts: Sequence[PublishedVerdict]) -> Iterator[FeatureVerdict]:
    """A verdict on each feature for which all rules have one."""
    states = {item.code: item.state for item in verdicts}
    for feature in FEATURES.values():
        codes = codes_of(feature)
        if states.keys() >= set(codes):
            failed, missing = (tuple(code for code in codes if states[code] == state)
                               for state in ("fail", "not evaluated"))
            state: State = "fail" if failed else "not evaluated" if missing or feature.gap else "pass"
            yield FeatureVerdict(feature.id, feature.version, feature.title, state, failed, missing, feature.gap)
