"""`verify` measures the effective value of every authored number of a stage, and lists numbers without an experiment.
`group_rows` merges rows of equal meaning. `accounted_rows` turns each opinion without an experiment into a row, from
the reader's account of opinions that became facts, are unused or cannot be evaluated. A newly read property therefore
has a row without any change here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from physx_runtime.isaac_lab import IsaacLabReport, configured_stage
from physx_runtime.packing.not_simulated import not_simulated, nothing_moves, require_accepted
from physx_runtime.packing.scene import scene_model
from physx_runtime.progress import counted
from physx_runtime.simulation.arguments import required_time
from physx_runtime.verification.authored import Authored, authored_numbers, intended_numbers
from physx_runtime.verification.bench import IDEAL, PHYSX, branches, structure_key, with_renamed_paths
from physx_runtime.verification.bodies.experiments import body_rows
from physx_runtime.verification.contact.rows import MaterialExperiments
from physx_runtime.verification.engines.engine import BUILTIN, ENGINES, Engine, open_engine
from physx_runtime.verification.families import FAMILIES, Experiments
from physx_runtime.verification.hidden_gravity import hidden_gravity_rows
from physx_runtime.verification.loaded.limits import with_loads
from physx_runtime.verification.maximal_joints.events import refused_limits
from physx_runtime.verification.maximal_joints.experiments import (
    TARGETS_TOGETHER,
    MaximalJointExperiments,
    MaximalJointStage,
    maximal_joint_quantities,
    refused_drives,
    targets_together,
    unmeasured,
)
from physx_runtime.verification.maximal_joints.joint_errors import measure_joint_errors
from physx_runtime.verification.quantities import quantities
from physx_runtime.verification.quantity import Quantity
from physx_runtime.verification.remedies.remedy import NO_STAGE, Question
from physx_runtime.verification.remedies.search import PropertyPath, Trial
from physx_runtime.verification.report import (
    ALTERED,
    AS_AUTHORED,
    IGNORED,
    NOT_EVALUATED,
    OTHER_ENGINE,
    Remedy,
    Row,
    Value,
    Verification,
    agree,
)
from physx_runtime.verification.settling import gravity_rows
from physx_schema.arguments import required_texts
from physx_schema.description import describe
from physx_schema.description.engine_values import engine_differences, opinion_engine
from physx_schema.description.model import Articulation, Description
from physx_schema.description.opinions.inactive import STATIC_MASS
from physx_schema.description.opinions.schemas import WITHOUT_EFFECT
from physx_schema.description.releases import as_of_release
from physx_schema.description.scenes import SolverBatches, SolverCounts, with_solver_counts
from physx_schema.description.stages import StageSource, open_stage
from physx_schema.engine_releases import LATEST
from physx_schema.errors import UnsupportedError
from physx_schema.text import plural


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows with one verdict and one reason, of properties that differ in their instance names at most."""

    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        """The property's name, with * for several instance names; "" for prims."""
        first, *others = dict.fromkeys(row.property for row in self.rows)
        return ":*:".join(_ends(first)) if others else first

    @property
    def prim_text(self) -> str:
        """The prim, or how many there are."""
        paths = dict.fromkeys(row.path for row in self.rows)
        return self.rows[0].path if len(paths) == 1 else plural(len(paths), "prim")

    @property
    def authored(self) -> Value | None:
        """The authored value, None where the rows differ."""
        first, *others = dict.fromkeys(row.authored for row in self.rows)
        return None if others else first


def group_rows(rows: Iterable[Row]) -> Sequence[RowGroup]:
    """The rows in groups, in the order of their first rows."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.verdict, row.reason, *_ends(row.property)), []).append(row)
    return [RowGroup(tuple(group)) for group in groups.values()]


def _ends(name: str) -> tuple[str, str]:
    """The first and last part of a property's name."""
    return name.partition(":")[0], name.rpartition(":")[2]


NO_EXPERIMENT = "there is no experiment for this property yet; the command simulate shows its effect"
REFUSED_DRIVE_TARGET = "PhysX refuses the drive, but its target still changes the combined target rotation of the joint"
COMPUTATION_ONLY = "the property changes how PhysX computes or allocates memory, not the result"
_CONTACT = ("the property acts only in contacts, and the experiments have no contacts; the command simulate shows its "
            "effect")
_COUNT = "all experiments use this setting; its effect is not measured separately"
_SLEEP = "the property controls sleeping, and no body sleeps in the experiments; the command simulate shows its effect"
_FRAME = ("the property is part of a joint frame; joints of articulations follow their frames exactly, and this is not "
          "measured")
# Why numbers are in no experiment, by the end of their names.
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(("localPos0", "localPos1", "localRot0", "localRot1"), _FRAME),
    **dict.fromkeys(("solverPositionIterationCount", "solverVelocityIterationCount"), _COUNT),
    **dict.fromkeys(("sleepThreshold", "stabilizationThreshold"), _SLEEP),
    **dict.fromkeys(("maxDepenetrationVelocity", "maxContactImpulse", "contactSlopCoefficient"), _CONTACT),
    **dict.fromkeys(("breakForce", "breakTorque"),
                    "PhysX never breaks joints of articulations; this value also means that the joint never breaks"),
    "threshold": "the property selects which contacts are reported, and does not change the contacts",
    "cfmScale": "the property softens constraints; the rows of these constraints name cfmScale as a reason",
    "localPos": "the property is a point of the tendon on the link; the tendon's rows show its effect",
    **dict.fromkeys(("mass", "density", "diagonalInertia", "principalAxes", "centerOfMass"),
                    "PhysX does not read this value: mass properties are computed from the colliders, or forces do not "
                    "move the body"),
}
# What the numbers of a schema are, where there is more to say than that there is no experiment.
_SUBJECTS: Mapping[str, str] = {
    **dict.fromkeys(("PhysicsRigidBodyAPI", "PhysxRigidBodyAPI"), "settings of bodies"),
    **dict.fromkeys(("PhysxSceneAPI", "PhysxArticulationAPI"), "settings of the solver"),
    "PhysicsJointStateAPI": "initial states of joints",
}
_COLLIDING = frozenset({
    "PhysicsCollisionAPI", "PhysxCollisionAPI", "NewtonCollisionAPI", "PhysicsMeshCollisionAPI",
    "PhysxConvexHullCollisionAPI", "NewtonMeshCollisionAPI", "PhysicsMaterialAPI", "PhysxMaterialAPI",
})


def accounted_rows(description: Description, authored: Authored) -> Iterator[Row]:
    """Rows without experiment. Ignored: refused or unused opinions. Not evaluated: others, and numbers that act.

    Opinions for another engine are ignored only where PhysX works with another value.
    """
    keys = set()
    for path, name, verdict, reason in _accounted(description, authored):
        key = path, name, "" if (path, name) in authored else reason
        if key not in keys:
            keys.add(key)
            yield Row(path, name, authored.get((path, name), math.nan), None, None, verdict, reason)


def _accounted(description: Description, authored: Authored) -> Iterator[tuple[str, str, str, str]]:
    """Path, property, verdict and reason; the first entry of a property counts."""
    yield from _refused(description)
    yield from _refused_drive_rows(description, authored)
    for (path, name), why in refused_limits(description, authored).items():
        yield path, name, IGNORED, why
    differences = {(item.path, name): item for item in engine_differences(description) for name, _ in item.values}
    for opinion in description.unused:
        suggestion = f" ({opinion.suggestion})" if opinion.suggestion else ""
        difference = differences.get((opinion.path, opinion.property))
        verdict = OTHER_ENGINE if opinion_engine(opinion) and difference is None else (
            NOT_EVALUATED if opinion.code == STATIC_MASS else IGNORED)
        other = f"; the engines read different values of the {difference.quantity}: {difference.text}" if (
            difference is not None) else ""
        yield opinion.path, opinion.property, verdict, opinion.reason + suggestion + other
    for opinion in description.not_evaluated:
        yield opinion.path, opinion.property, NOT_EVALUATED, opinion.reason
    maximal_joints = {joint.path: joint for joint in description.separate_joints}
    for item in description.authored:
        if (item.path, item.property) in authored and f"{item.path}.{item.property}" in description.consumed:
            reason = unmeasured(maximal_joints[item.path], item.property) if item.path in maximal_joints else ""
            yield item.path, item.property, NOT_EVALUATED, reason or _unmeasured(item.property, item.schema)


def _refused(description: Description) -> Iterator[tuple[str, str, str, str]]:
    """Opinions that PhysX refuses."""
    accepted = {(m.path, m.instance) for a in description.articulations for m in a.mimics}
    for d in description.mimic_declarations:
        name = f"physxMimicJoint:{d.instance}:gearing"
        if d.refusal:
            yield d.path, name, IGNORED, f"PhysX creates no mimic joint: {d.refusal}"
        elif (d.path, d.instance) not in accepted:
            yield d.path, name, IGNORED, "PhysX creates no mimic joint: the two joints are in different articulations"
    opinions = {(item.path, item.property) for item in description.authored}
    for problem in description.problems:
        if problem.severity == "error" and (problem.path, problem.property) in opinions:
            yield problem.path, problem.property, IGNORED, f"{problem.message}: {problem.why}"


def _refused_drive_rows(description: Description, authored: Authored) -> Iterator[tuple[str, str, str, str]]:
    """Numbers of drives outside articulations that PhysX refuses as a whole."""
    refused = refused_drives(description)
    driven = {joint.path for joint in description.separate_joints
              if any(axis.angular and axis.drive for axis in joint.axes)}
    for path, name in authored:
        why = refused.get((path, name.rpartition(":")[0]))
        if why and name.endswith(":targetPosition") and path in driven:
            yield path, name, NOT_EVALUATED, REFUSED_DRIVE_TARGET
        elif why:
            yield path, name, IGNORED, f"PhysX refuses the whole drive: {why}"


def _unmeasured(name: str, schema: str) -> str:
    """The reason why a number that became a fact is not measured."""
    if name in WITHOUT_EFFECT:
        return COMPUTATION_ONLY
    if schema in _COLLIDING:
        return "there is no experiment for this contact property yet; the command simulate shows its effect"
    if name.rpartition(":")[2] in _REASONS:
        return _REASONS[name.rpartition(":")[2]]
    subject = _SUBJECTS.get(schema)
    return (f"there is no experiment for {subject} yet; the command simulate shows their effect"
            if subject else NO_EXPERIMENT)


DEFAULT_DT = 1 / 60         # s
NOT_REPEATED = "only experiments on articulations are repeated in real PhysX"


def verify(stage: StageSource | Description, engines: Sequence[str] = ("builtin",), dt: float | None = None,
           engine_release: str = LATEST, isaac_lab: str | Path | None = None) -> Verification:
    """Measure the effective value of every number on a stage in PhysX's step.

    `verify` measures drives, joint axes and limits, tendons, mimic joints, gravity, friction, restitution, and joints
    outside articulations. Each number is measured in an experiment with PhysX's iteration counts, and again with an
    ideal solver. Each experiment has only constraints of one kind, such as drives or tendons. All that the
    experiment does not measure is removed: gravity, friction, damping and the motion of a floating base.

    The result also has a row for each value that PhysX refuses or never uses. All other numbers that PhysX reads have
    the verdict "not evaluated" with a reason. `not_simulated` lists physics that moves the articulations in PhysX and
    that no experiment includes. `joint_errors` lists how far the bodies drift apart at joints outside articulations
    while the stage moves. The distances are given at the authored iteration counts, with more iterations, and with
    shorter steps.

    Example::

        verification = physx_runtime.verify("hand.usda")
        for row in verification.failed:
            print(row.path, row.property, row.authored, row.effective, row.reason)

    Args:
        stage: A stage, a file or a Description.
        engines: With "physx", experiments on articulations also run in real PhysX. Real PhysX requires ovphysx in this
            Python, or in another Python with its path in the environment variable OVPHYSX_PYTHON.
        dt: Time step in seconds. Without it, the time step of `isaac_lab`, else 1/60.
        engine_release: The ovphysx release in which the stage will be used. All values are measured with the step of
            ovphysx 0.7. Values that only an older release reads are not evaluated.
        isaac_lab: A configuration of Isaac Lab, as a .py file or the params/env.yaml of a training, with ":NAME" if the
            file has several robots. The file is read as data and never runs. The stage is verified with the values that
            Isaac Lab writes. `Verification.isaac_lab` lists these values.

    Raises:
        UnreadableError: The file is not a stage, or `isaac_lab` is not a configuration with a robot.
        UnsupportedError: The stage has nothing to verify, PhysX refuses it, or real PhysX is not installed.
        ValueError: An engine or release is unknown, or `dt` is not positive and finite.
    """
    known, engines = (BUILTIN, *ENGINES), required_texts("engines", engines)
    others = {name for name in engines if name != BUILTIN}
    if not engines or not others.issubset(known):
        raise ValueError(f"engines is {list(engines)}; allowed are {', '.join(map(repr, known))}")
    if len(others) > 1:
        raise ValueError(f"engines is {list(engines)}; give at most one engine in addition to {BUILTIN!r}")
    report = None
    if isaac_lab is not None:
        if isinstance(stage, Description):
            raise ValueError("isaac_lab needs a stage or a file, not a Description; give the stage")
        stage, report = configured_stage(open_stage(stage), isaac_lab)
        dt = report.dt if dt is None else dt
    dt = required_time(DEFAULT_DT if dt is None else dt)
    if others:
        with open_engine(others.pop()) as engine:
            verification = _verified(stage, dt, engine, engine_release)
    else:
        verification = _verified(stage, dt, None, engine_release)
    return verification if report is None else _with_report(verification, report)


def _with_report(verification: Verification, report: IsaacLabReport) -> Verification:
    """The verification with what Isaac Lab writes, and why PhysX does not use some of it."""
    unused = {(row.path, row.property): row.reason for row in verification.rows if row.verdict == IGNORED}
    return replace(verification, isaac_lab=report.with_reasons(unused))


def _verified(stage: StageSource | Description, dt: float, engine: Engine | None, engine_release: str) -> Verification:
    opened = None if isinstance(stage, Description) else open_stage(stage)
    description = as_of_release(stage if isinstance(stage, Description) else describe(opened), engine_release)
    require_accepted(description)
    authored = authored_numbers(description)
    batches = SolverBatches(description)
    counts = tuple(batches.counts(a) for a in description.articulations)
    inquiry = Inquiry({} if opened is None else intended_numbers(opened, authored), engine=engine)
    rows = [replace(row, articulation=a.path) for a, solved in zip(description.articulations, counts, strict=True)
            if a.enabled for row in _rows(description, with_solver_counts(a, solved), dt, authored, solved, inquiry)]
    maximal_joints = MaximalJointStage(description, dt).experiments()
    refused = refused_limits(description, authored)
    measurable = {key: value for key, value in authored.items() if key not in refused}
    measured = {item.joint.path: list(_maximal_joint_rows(item, measurable, inquiry))
                for item in counted("measuring joints outside articulations", maximal_joints)}
    rows += [row for joint in description.separate_joints for row in measured.get(joint.path, ())]
    rows += body_rows(description, authored, dt)
    rows += gravity_rows(description, authored, dt)
    rows += hidden_gravity_rows(description, authored)
    materials = MaterialExperiments(description, authored, dt)
    rows += materials.rows()
    covered = {(row.path, row.property) for row in rows}
    rows += [row for row in accounted_rows(description, authored) if (row.path, row.property) not in covered]
    moving = (*description.articulations, *description.bodies)
    if not moving and all(row.verdict == NOT_EVALUATED for row in rows):
        raise UnsupportedError(nothing_moves(description))
    order = {path: key for key, path in enumerate(dict.fromkeys(row.path for row in rows))}
    rows.sort(key=lambda row: order[row.path])
    other_counts = {item.counts.path: item.counts for item in maximal_joints} | materials.counts
    solved_paths = {solved.path for solved in counts}
    counts += tuple(solved for path, solved in other_counts.items() if path not in solved_paths)
    remedies = _remedies_of(opened, inquiry.questions)
    remedies |= {key: remedies[first] for key, first in inquiry.equivalents.items() if first in remedies}
    rows = [replace(row, remedy=remedies.get((row.path, row.property)),
                    not_in_physx=NOT_REPEATED if engine and _unrepeated(row) else row.not_in_physx) for row in rows]
    rows = [_with_fix(description, row) for row in with_loads(description, rows, dt)]
    return Verification(description.source, tuple(rows), dt, counts,
                        not_simulated(description, scene_model(description, ())), measure_joint_errors(description, dt),
                        engine.version if engine else "")


def _with_fix(description: Description, row: Row) -> Row:
    """The row with the remedy that `check` names, where no experiment looked for one."""
    fix = next((problem.fix for problem in description.problems
                if (problem.path, problem.property) == (row.path, row.property)), "")
    return replace(row, remedy=Remedy(None, None, reason=fix)) if (
        fix and row.verdict == ALTERED and row.remedy is None and row.effective is not None) else row


def _unrepeated(row: Row) -> bool:
    """Whether a measured row has neither a number of real PhysX nor a reason."""
    return row.effective is not None and row.verdict != IGNORED and row.in_physx is None and not row.not_in_physx


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Intended effects of numbers, and the questions for remedies."""

    intended: Mapping[PropertyPath, float]
    questions: list[Question] = field(default_factory=list)
    # numbers like others, which are measured
    equivalents: dict[PropertyPath, PropertyPath] = field(default_factory=dict)
    engine: Engine | None = None            # that repeats experiments

    def with_intended(self, row: Row, quantity: Quantity) -> Row:
        """The row of a number, judged by its intended effect."""
        intended = self.intended.get((row.path, row.property))
        if intended is None or isinstance(row.effective, tuple) or row.verdict not in (AS_AUTHORED, ALTERED):
            return row
        if row.effective is not None and agree(intended, row.effective, row.uncertainty or 0.0):
            return replace(row, verdict=AS_AUTHORED, reason="", intended=intended)
        reason = row.reason or f"the value has the intended effect {intended:g} only under other settings"
        return replace(row, verdict=ALTERED, reason=reason, intended=intended)


def _remedies_of(stage: Any, questions: Sequence[Question]) -> dict[PropertyPath, Remedy]:
    """Remedies of all altered numbers. stage: None where there is none to try them on."""
    if stage is None:
        return {prop: Remedy(None, None, reason=NO_STAGE) for question in questions for prop in question.altered}
    if not questions:
        return {}
    trial = Trial(stage)
    return {prop: remedy for question in counted("finding values with the intended effects", questions)
            for prop, remedy in question.remedies(trial)}


def _rows(description: Description, articulation: Articulation, dt: float, authored: Authored,
          solved: SolverCounts, inquiry: Inquiry) -> Iterator[Row]:
    """The rows of an articulation with the counts that it is solved under; what is altered joins the questions.

    Each branch is measured alone; of equal branches, only the first.
    """
    unusable = _unusable(list(quantities(articulation, authored.keys())), articulation)
    measured_branches: dict[object, tuple[Articulation, list[Quantity], list[Row]]] = {}
    for branch in counted(f"measuring branches of {articulation.path}", list(branches(articulation))):
        measurands = list(quantities(branch, authored.keys()))
        authored_values = [(authored.get((q.key.path, q.key.property)),
                            inquiry.intended.get((q.key.path, q.key.property)))
                           for q in measurands]
        key = structure_key(branch), tuple(authored_values)
        if key not in measured_branches:
            rows = _branch_rows(description, branch, dt, authored, solved, inquiry, measurands, unusable)
            measured_branches[key] = branch, measurands, rows
            yield from rows
            continue
        first, measured, rows = measured_branches[key]
        for before, quantity, row in zip(measured, measurands, rows, strict=True):
            inquiry.equivalents[quantity.key[:2]] = before.key[:2]
            yield replace(row, path=quantity.key.path, property=quantity.key.property, equivalent_to=row.path,
                          reason=with_renamed_paths(row.reason, first, branch))


def _branch_rows(description: Description, articulation: Articulation, dt: float, authored: Authored,
                 solved: SolverCounts, inquiry: Inquiry, measurands: Sequence[Quantity], unusable: str) -> list[Row]:
    """The rows of one branch."""
    families = [family for family in FAMILIES if family.present(articulation)]
    experiments = [Experiments(description, articulation, family, dt) for family in families]
    try:
        for experiment in counted("experiment", experiments) if not unusable else ():
            experiment.findings(PHYSX)
    except UnsupportedError as error:
        unusable = "; ".join(str(error).splitlines())
    rows = [inquiry.with_intended(_quantity_row(quantity, authored, experiments, unusable, solved.raised), quantity)
            for quantity in counted("finding the cause of value", measurands)]
    for experiment in experiments if not unusable else ():
        inquiry.questions.extend(_questions(experiment, measurands, rows, solved))
    if inquiry.engine is None or unusable:
        return rows
    return [_with_physx_value(quantity, row, experiments, inquiry.engine) for quantity,
            row in zip(measurands, rows, strict=True)]


def _with_physx_value(quantity: Quantity, row: Row, experiments: Sequence[Experiments], engine: Engine) -> Row:
    """The row with the value in real PhysX, or the reason why it is unknown."""
    experiment = next((item for item in experiments if quantity.key in item.findings(PHYSX).values), None)
    if experiment is None or quantity.inactive:
        return row
    try:
        findings = experiment.in_physx(engine)
    except (UnsupportedError, np.linalg.LinAlgError) as error:
        return replace(row, not_in_physx=str(error))
    value = _on_stage(quantity, findings.values.get(quantity.key))
    return replace(row, in_physx=value, not_in_physx="" if value is not None else findings.failures.get(
        quantity.key, "the experiment in real PhysX measured no value"))


def _questions(experiment: Experiments | MaximalJointExperiments, measurands: Sequence[Quantity], rows: Sequence[Row],
               counts: SolverCounts | None) -> Iterator[Question]:
    """The question for remedies of an experiment, if any of its numbers is altered."""
    findings = experiment.findings(PHYSX)
    measured = [(quantity, row) for quantity, row in zip(measurands, rows, strict=True)
                if quantity.key in findings.values and isinstance(row.authored, float) and math.isfinite(row.authored)]
    misread = {(problem.path, problem.property) for problem in experiment.description.problems}
    altered = dict.fromkeys((row.path, row.property) for quantity, row in measured
                            if row.verdict == ALTERED and quantity.key not in findings.notes
                            and not (_is_misread(quantity, row.authored) and quantity.key[:2] in misread))
    if altered:
        yield Question(experiment, [quantity for quantity, _ in measured],
                       {(row.path, row.property): row.authored for _,
                        row in measured if isinstance(row.authored, float)},
                       {(row.path, row.property): row.intended_effect for _,
                        row in measured if isinstance(row.intended_effect, float)},
                       tuple(altered), counts)


def _maximal_joint_rows(experiments: MaximalJointExperiments, authored: Authored, inquiry: Inquiry) -> Iterator[Row]:
    """The rows of a joint outside articulations; `accounted_rows` has the numbers without experiment."""
    unusable = ""
    try:
        measurands = list(maximal_joint_quantities(experiments.isolate(), authored.keys()))
        if measurands:
            experiments.findings(PHYSX)
    except UnsupportedError as error:
        unusable = "; ".join(str(error).splitlines())
    rows = [inquiry.with_intended(_quantity_row(quantity, authored, [experiments], unusable, experiments.counts.raised),
                                  quantity)
            for quantity in measurands]
    if measurands and not unusable:
        inquiry.questions.extend(_questions(experiments, measurands, rows, None))
    together = targets_together(experiments.joint)
    for row in rows:
        judged = replace(row, verdict=NOT_EVALUATED, reason=TARGETS_TOGETHER) if (
            row.property in together and row.verdict == AS_AUTHORED) else row
        yield replace(judged, articulation=experiments.counts.path)


def _quantity_row(quantity: Quantity, authored: Authored, experiments: Sequence[Experiments | MaximalJointExperiments],
                  unusable: str, raised: str) -> Row:
    """The row of a number; `unusable`: why none of these is measured."""
    value = authored.get((quantity.key.path, quantity.key.property))
    number = value if isinstance(value, float) else quantity.to_stage_unit(quantity.described)
    if unusable:
        return _row(quantity, number, None, None, NOT_EVALUATED, unusable)
    if quantity.inactive:
        as_intended = number == 0.0 or authored.get((quantity.key.path, quantity.switch)) == 0.0
        return _row(quantity, number, 0.0, 0.0, AS_AUTHORED if as_intended else IGNORED,
                    "" if as_intended else quantity.inactive)
    return _measured_row(quantity, number, experiments, raised)


def _unusable(measurands: Sequence[Quantity], articulation: Articulation) -> str:
    """The reason why nothing of an articulation can be measured; empty where it can."""
    broken = [f"{q.key.path} {q.key.property} is NaN" for q in measurands if math.isnan(q.described)]
    broken += [f"{m.path} {m.prefix}gearing is infinite" for m in articulation.mimics if math.isinf(m.gearing)]
    return f"{' and '.join(broken)}; the whole articulation becomes NaN" if broken else ""


def _measured_row(quantity: Quantity, authored: float, experiments: Sequence[Experiments | MaximalJointExperiments],
                  raised: str) -> Row:
    """The row of a number that was measured, or failed to be."""
    key = quantity.key
    for experiment in experiments:
        findings = experiment.findings(PHYSX)
        note = findings.notes.get(key, "")
        if key in findings.failures:
            return _row(quantity, authored, None, None, NOT_EVALUATED, findings.failures[key])
        if key in findings.values or note:
            effective, ideal = (_on_stage(quantity, experiment.findings(s).values.get(key)) for s in (PHYSX, IDEAL))
            error = None if effective is None else quantity.uncertainty(effective, findings.errors.get(key, 0.0))
            if effective is not None and not note and agree(authored, effective, error or 0.0):
                return replace(_row(quantity, authored, effective, ideal, AS_AUTHORED, ""), uncertainty=error)
            reasons = [note] if note else [*_reasons(quantity, authored, effective, experiment, error or 0.0), raised]
            return replace(_row(quantity, authored, effective, ideal, ALTERED, "; ".join(filter(None, reasons))),
                           uncertainty=error)
    return _row(quantity, authored, None, None, NOT_EVALUATED, NO_EXPERIMENT)


def _on_stage(quantity: Quantity, value: float | None) -> float | None:
    """In the stage's unit; rounding around an authored 0 is dropped."""
    if value is None:
        return None
    result = quantity.to_stage_unit(value)
    return 0.0 if quantity.described == 0.0 and abs(result) <= quantity.noise else result


def _is_misread(quantity: Quantity, authored: Value) -> bool:
    """Whether PhysX takes another number than the stage has; `check` says what to do, and no other number helps."""
    return isinstance(authored, float) and not math.isclose(quantity.to_stage_unit(quantity.described), authored,
                                                            rel_tol=1e-5)


def _reasons(quantity: Quantity, authored: float, effective: float | None,
             experiment: Experiments | MaximalJointExperiments, error: float) -> Iterator[str]:
    read = quantity.to_stage_unit(quantity.described)
    if _is_misread(quantity, authored):
        messages = [f"{problem.message}: {problem.why}" for problem in experiment.description.problems
                    if (problem.path, problem.property) == quantity.key[:2]]
        yield from messages or [f"PhysX reads {authored:g} as {read:g}"]
    if quantity.key.location:
        yield quantity.key.location
    if effective is None or not agree(read, effective, error):
        yield from experiment.causes(quantity.key, quantity.described)


def _row(quantity: Quantity, authored: float, effective: float | None, ideal: float | None, verdict: str,
         reason: str) -> Row:
    path, name, _ = quantity.key
    return Row(path, name, authored, effective, ideal, verdict, reason, quantity.unit)
