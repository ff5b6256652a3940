"""Compare `physx-schema check` with other validators on the same stages; write docs/evidence/rules_comparison.md.

Needs folders with the other validators, installed without their dependencies, which would replace usd-core:

    pip install --no-deps -t PEERS usd-validation-nvidia simready-foundation-tier-core
    pip install --no-deps -t OLDER omniverse-asset-validator
    python benchmarks/rules_comparison.py --peers PEERS --older OLDER --labelled STAGES

STAGES holds small robots with a mimic joint each and labels.json, which says what is wrong with them. The other stages
are the examples of this project's catalogue, each with its remedied twin: a fault counts as found where a validator
says something about the faulty stage that it does not say about its twin. Each validator runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from physx_schema.definitions import plugin_folders

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "rules_comparison.md"
DRIVEN_JOINTS = ("PhysicsDriveAndJointState", "JointHasJointStateAPI", "JointHasCorrectTransformAndState",
                 "PhysicsJointHasDriveOrMimicAPI", "PhysicsJointMaxVelocity", "DriveJointValueReasonable",
                 "MimicAPICheck", "ArticulationNoLoopsOrMultiJoint")
MIMIC = ("DJ.007", "MimicAPICheck")
RAISED = ("Uncaught error", "raised ")
UNAVAILABLE = "not available in this environment"

Issue = tuple[str, str]             # rule, message
Issues = Mapping[str, list[Issue]]  # by stage
Validator = Callable[[Any], list[Issue]]


# --- one validator, in a process of its own ---


def ours() -> Validator:
    """This project, all profiles; notes of severity info do not count."""
    from physx_schema import check
    return lambda path: [(item.code, item.message) for item in check(path, "physx+simready+newton+driven").findings
                         if item.severity != "info"]


def native() -> Validator:
    """Every validator that usd-core registers."""
    from pxr import Usd, UsdValidation
    context = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    return lambda path: [(str(error.GetName()), error.GetMessage()) for error in context.Validate(Usd.Stage.Open(path))]


def reference() -> Validator:
    """The published rules for driven joints, run by their own engine."""
    import usd_validation_nvidia as engine
    from simready.foundation.tier_core.capabilities.physics_bodies.physics_driven_joints import validation
    found = engine.ValidationEngine(init_rules=False)
    for name in DRIVEN_JOINTS:
        found.enable_rule(getattr(validation, name))
    return lambda path: _issues(found, path)


def supplied() -> Validator:
    """The published rules with this project's classes in place of the module PhysxSchema that they miss."""
    import physx_schema
    physx_schema.install()
    return reference()


def asset_validator() -> Validator:
    """The physics rules of omniverse-asset-validator."""
    from omni import asset_validator as engine
    found = engine.ValidationEngine(init_rules=False)
    for rule in engine.CategoryRuleRegistry().get_rules("Physics"):
        found.enable_rule(rule)
    return lambda path: _issues(found, path)


def _issues(engine: Any, path: str) -> list[Issue]:
    """What an engine of NVIDIA's says, notes aside."""
    return [(item.rule.__name__ if item.rule else "", item.message) for item in engine.validate(path).issues()
            if item.severity.name != "INFO"]


VALIDATORS: Mapping[str, Callable[[], Validator]] = {
    "physx-schema": ours, "SimReady rules as installed": reference, "SimReady rules with PhysxSchema": supplied,
    "UsdValidation": native, "asset validator": asset_validator,
}


def work(name: str, folder: Path) -> None:
    """Print what a validator says about each stage of a folder as JSON; an exception counts as something it says."""
    validate = VALIDATORS[name]()
    found: dict[str, list[Issue]] = {}
    for path in sorted(folder.glob("*.usda")):
        twin = path.stem.rpartition(".")[0]
        try:
            issues = validate(str(path))
        except Exception as error:      # whatever another validator raises is its answer
            issues = [("", f"raised {type(error).__name__}: {error}")]
        found[path.stem] = [(rule, text.replace(str(folder), "").replace(path.stem, twin)) for rule, text in issues]
    print("ISSUES " + json.dumps(found))


# --- the stages ---


def write_examples(folder: Path) -> dict[str, str]:
    """Write the catalogue's examples as code.faulty.usda and code.sound.usda; the codes by file stem."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.stages.faulty_robots import examples, stage
    codes = {}
    for code in examples():
        stem = code.code.replace("/", "-").replace(".", "_")
        codes[stem] = code.code
        for state, prims in (("faulty", code.example), ("sound", code.remedy)):
            (folder / f"{stem}.{state}.usda").write_text(stage(prims), encoding="utf-8")
    return codes


# --- the tables ---


@dataclass(frozen=True)
class Run:
    """What a validator said about both sets of stages."""

    name: str
    labelled: Issues
    examples: Issues


def run(name: str, peers: Path, older: Path, folders: tuple[Path, Path]) -> Run:
    """Run a validator over both folders."""
    extra = older if name == "asset validator" else peers
    paths = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(ROOT), str(extra)])
    plugins = os.pathsep.join(map(str, plugin_folders()))      # so that all know the types of PhysX's properties
    said = []
    for folder in folders:
        done = subprocess.run([sys.executable, __file__, "--worker", name, str(folder)], capture_output=True, text=True,
                              check=False, env={**os.environ, "PYTHONPATH": paths, "PXR_PLUGINPATH_NAME": plugins})
        line = next((line for line in done.stdout.splitlines() if line.startswith("ISSUES ")), "")
        if not line:
            raise SystemExit(f"{name}: no answer (exit {done.returncode})\n{done.stderr[-2000:]}")
        said.append({stem: [tuple(issue) for issue in issues] for stem, issues in json.loads(line[7:]).items()})
    return Run(name, said[0], said[1])


def is_about_newton(issue: Issue) -> bool:
    """Whether only Newton asks; the labels are about PhysX and SimReady."""
    return issue[0] == "DJ.007/newton-portability"


def is_raised(issue: Issue) -> bool:
    return any(word in issue[1] for word in RAISED) and UNAVAILABLE not in issue[1]


def is_answer(issue: Issue) -> bool:
    """Whether an issue is about the stage, not about the validator."""
    return not is_raised(issue) and UNAVAILABLE not in issue[1]


OUTCOMES = ("found", "missed", "raised", "not evaluated", "left alone", "false alarm")


def outcome(done: Run, stem: str, label: Mapping[str, Any]) -> str:
    """What a validator made of a labelled stage; of rule sets only the mimic rule is asked."""
    faulty = any(severity in ("warning", "error") for severity in label["verdict"].values())
    issues = [issue for issue in done.labelled[stem] if done.name in ("UsdValidation", "asset validator")
              or issue[0].startswith(MIMIC) or not issue[0]]
    answers = [issue for issue in issues if is_answer(issue) and not is_about_newton(issue)]
    if not answers and any(map(is_raised, issues)):
        return "raised"
    if not answers and any(UNAVAILABLE in issue[1] for issue in issues):
        return "not evaluated"
    if faulty:
        return "found" if answers else "missed"
    return "false alarm" if answers else "left alone"


def labelled_row(done: Run, labels: Mapping[str, Any]) -> str:
    """How often a validator did what with the labelled stages."""
    found = [outcome(done, stem, label) for stem, label in labels.items()]
    return f"| {done.name} | " + " | ".join(str(found.count(kind)) for kind in OUTCOMES) + " |"


def family(code: str) -> str:
    if code.startswith("DJ.") and code[:6] != "DJ.007":
        return "DJ.001 to DJ.006, DJ.011"
    return {"DJ.007": "DJ.007, mimic joints", "tendon": "tendons"}.get(code.split("/", 1)[0], "all other rules")


def is_found(done: Run, stem: str) -> bool:
    """Whether a validator says something about the faulty stage that it does not say about its twin."""
    faulty, sound = (set(filter(is_answer, done.examples[f"{stem}.{state}"])) for state in ("faulty", "sound"))
    return bool(faulty - sound)


def example_rows(runs: list[Run], codes: Mapping[str, str]) -> list[str]:
    """Faults found by family, and the sound twins of the mimic rule that a validator's mimic rule objects to."""
    families: dict[str, list[str]] = {}
    for stem, code in codes.items():
        families.setdefault(family(code), []).append(stem)
    rows = []
    for name, stems in families.items():
        cells = [f"{sum(is_found(done, stem) for stem in stems)}" for done in runs]
        rows.append(f"| {name} | {len(stems)} | " + " | ".join(cells) + " |")
    mimics = families["DJ.007, mimic joints"]
    alarms = [sum(any(issue[0].startswith(MIMIC) and is_answer(issue) and not is_about_newton(issue)
                      for issue in done.examples[f"{stem}.sound"]) for stem in mimics) for done in runs]
    rows.append(f"| false alarms on repaired mimic joints | {len(mimics)} | " + " | ".join(map(str, alarms)) + " |")
    raised = [sum(any(map(is_raised, issues)) for issues in done.examples.values()) for done in runs]
    rows.append(f"| stages on which a rule raised an exception | {2 * len(codes)} | "
                + " | ".join(map(str, raised)) + " |")
    return rows


def page(runs: list[Run], labels: Mapping[str, Any], codes: Mapping[str, str], versions: str) -> str:
    """The page with both tables."""
    names = [done.name for done in runs]
    return "\n".join((
        "<!-- Written by benchmarks/rules_comparison.py; do not edit. -->", "", "# Comparison of validators", "",
        "This page shows the faults that `check` and other validators find on the same stages.", "",
        f"Versions: {versions}.", "",
        "| validator | rules that the validator applies |", "|---|---|",
        "| physx-schema | all profiles of `check`; findings of severity info are not counted |",
        "| SimReady rules as installed | the published rules DJ.001 to DJ.007 and DJ.011 of "
        "simready-foundation-tier-core, without a module `PhysxSchema`; most of these rules then evaluate nothing |",
        "| SimReady rules with PhysxSchema | the same rules after `physx_schema.install()` |",
        "| UsdValidation | all validators of usd-core |",
        "| asset validator | the physics rules of omniverse-asset-validator |", "",
        "## Mimic joints", "",
        f"The labels of {len(labels)} small robots state if the mimic joints are correct. These labels were written "
        "without any of the validators. The table has the number of robots for each result of a validator. Only "
        "rules on mimic joints are counted.", "",
        "| validator | faults found | faults missed | exceptions | not evaluated | correct robots without findings | "
        "false alarms |",
        "|---|---|---|---|---|---|---|",
        *(labelled_row(done, labels) for done in runs), "",
        "## Examples of our rules", "",
        "Each rule of `check` has an example with a fault and a repaired example. A validator finds a fault if it "
        "reports something on the faulty example that it does not report on the repaired example. We wrote these "
        "examples for `check`; the table therefore does not rank the validators.", "",
        "| faults or stages | total | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names),
        *example_rows(runs, codes), "",
        "",
    ))


def versions(peers: Path, older: Path) -> str:
    from importlib.metadata import version
    found = [f"usd-core {version('usd-core')}"]
    for folder in (peers, older):
        for item in sorted(folder.glob("*.dist-info")):
            name, _, number = item.name.removesuffix(".dist-info").partition("-")
            if name in ("usd_validation_nvidia", "simready_foundation_tier_core", "omniverse_asset_validator"):
                found.append(f"{name.replace('_', '-')} {number}")
    return ", ".join(found)


def main() -> None:
    """Run every validator over every stage and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", type=Path, required=True)
    parser.add_argument("--older", type=Path, required=True)
    parser.add_argument("--labelled", type=Path, required=True)
    given = parser.parse_args()
    labels = json.loads((given.labelled / "labels.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        codes = write_examples(folder)
        runs = [run(tool, given.peers, given.older, (given.labelled, folder)) for tool in VALIDATORS]
    PAGE.write_text(page(runs, labels, codes, versions(given.peers, given.older)), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
