"""The tier by which `simready-validate` runs the checks: its profile PhysX-Schema, with a verdict a feature.

simready-validate finds `tier` through the package's entry point `simready.tier`, imports `rules`, which registers our
codes as requirements, and reads features and profiles from files. Those are written when it asks, from the catalogue.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from physx_schema.asset_validation import VERSION, prefixed_code
from physx_schema.checking.catalogue import RULES
from physx_schema.checking.engine.finding import PHYSX
from physx_schema.checking.engine.published import FEATURES, PUBLISHED_RULES, Feature, codes_of
from physx_schema.checking.stages import UNREADABLE

PROFILE = "PhysX-Schema"
CHECKS = "PHYSX_SCHEMA_CHECKS"      # the feature of all our codes that PhysX itself is asked about


@dataclass(frozen=True)
class Tier:
    """Where simready-validate finds what belongs to us."""

    name: str = "physx_schema"
    rules_package: str = "physx_schema.simready.rules"
    requirements_module: str = rules_package
    rules_and_requirements_path: Path = Path(__file__).parent

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        """A folder for this process with a file for each feature, and one for the profile."""
        folder = tempfile.TemporaryDirectory(prefix="physx-schema-")
        for name, content in (*_features().items(), ("profiles/profile", _profile())):
            path = Path(folder.name, f"{name}.json")
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(content), encoding="utf-8")
        return folder

    @property
    def features_path(self) -> Path:
        """The folder of features."""
        return Path(self._folder.name, "features")

    @property
    def profiles_path(self) -> Path:
        """The folder of profiles."""
        return Path(self._folder.name, "profiles")


def _features() -> dict[str, dict[str, Any]]:
    """The published features as ours, by file, but those that ask for more than physics or for another engine."""
    own = [*(code for code, rule in RULES.items() if PHYSX in rule.profiles), UNREADABLE]
    features = {CHECKS: ("Effect of a stage in PhysX", own)}
    for feature in FEATURES.values():
        if not feature.gap and any(PUBLISHED_RULES[code].ours for code in feature.codes) and not _is_foreign(feature):
            features[prefixed_code(feature.id)] = (feature.title, [prefixed_code(code) for code in codes_of(feature)])
    return {f"features/{name}": {
        "id": name, "version": VERSION, "display_name": title, "path": "", "requirements": codes,
    } for name, (title, codes) in features.items()}


def _is_foreign(feature: Feature) -> bool:
    return any(code.startswith(("NEWTON.", "MUJOCO.")) for code in codes_of(feature))


def _profile() -> dict[str, Any]:
    """The profile: our own codes are mandatory, what SimReady asks beyond PhysX is optional."""
    names = [feature["id"] for feature in _features().values()]
    return {PROFILE: {VERSION: {"features": [
        {name: {"version": VERSION}, **({} if name == CHECKS else {"optional": True})} for name in names]}}}


tier = Tier()
