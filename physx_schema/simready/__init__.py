"""The tier that runs the checks in `simready-validate`: profile PhysX-Schema, with a verdict for each feature.

simready-validate finds `tier` through the entry point `simready.tier`. It imports `rules`, which registers our codes as
requirements. It reads features and profiles from files, which `tier` writes from the catalogue on first access.
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
CHECKS = "PHYSX_SCHEMA_CHECKS"      # the feature with all our codes of profile physx


@dataclass(frozen=True)
class Tier:
    """The locations of our rules, features and profiles for simready-validate."""

    name: str = "physx_schema"
    rules_package: str = "physx_schema.simready.rules"
    requirements_module: str = rules_package
    rules_and_requirements_path: Path = Path(__file__).parent

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        """A temporary folder with a file for each feature and one for the profile."""
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
    """Our feature and the published ones, by file, without those of other engines or beyond physics."""
    own = [*(code for code, rule in RULES.items() if PHYSX in rule.profiles), UNREADABLE]
    features = {CHECKS: ("Physics in PhysX", own)}
    for feature in FEATURES.values():
        if not feature.gap and any(PUBLISHED_RULES[code].ours for code in feature.codes) and not _is_foreign(feature):
            features[prefixed_code(feature.id)] = (feature.title, [prefixed_code(code) for code in codes_of(feature)])
    return {f"features/{name}": {
        "id": name, "version": VERSION, "display_name": title, "path": "", "requirements": codes,
    } for name, (title, codes) in features.items()}


def _is_foreign(feature: Feature) -> bool:
    return any(code.startswith(("NEWTON.", "MUJOCO.")) for code in codes_of(feature))


def _profile() -> dict[str, Any]:
    """The profile: our codes are mandatory, the published features are optional."""
    names = [feature["id"] for feature in _features().values()]
    return {PROFILE: {VERSION: {"features": [
        {name: {"version": VERSION}, **({} if name == CHECKS else {"optional": True})} for name in names]}}}


tier = Tier()
