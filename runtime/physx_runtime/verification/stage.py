"""`verify` measures the effective value of each authored number of a stage, and lists numbers without an experiment."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from physx_runtime.isaac_lab import IsaacLabReport, configured_stage
from physx_runtime.packing.not_simulated import not_simulated, nothing_moves, require_accepted
from physx_runtime.packing.scene import scene_model
from physx_runtime.progress import counted
from physx_runtime.simulation.arguments import required_time
from physx_runtime.verification.accounted import NO_EXPERIMENT, accounted_rows
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
    targets_together,
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
    Remedy,
    Row,
    Value,
    Verification,
    agree,
)
from physx_runtime.verification.settling import gravity_rows
from physx_schema.arguments import required_texts
from physx_schema.description import describe
from physx_schema.description.model import Articulation, Description
from physx_schema.description.releases import as_of_release
from physx_schema.description.scenes import SolverBatches, SolverCounts, with_solver_counts
from physx_schema.description.stages import StageSource, open_stage
from physx_schema.engine_releases import LATEST
from physx_schema.errors import UnsupportedError

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
