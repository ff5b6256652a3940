"""The page's script: the files beside the templates as one text, and the hash by which a policy admits it."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

# In the order in which they build on each other.
SCRIPTS = ("unpack", "vectors", "recorded", "live", "camera", "drawing", "webgl", "flat", "viewer", "sliders", "player",
           "page")


@cache
def script() -> str:
    """All of it."""
    folder = files("physx_runtime.viewing").joinpath("templates", "robot")
    texts = [folder.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    return "\n".join(['"use strict";', "(() => {", *texts, "})();", ""])


@cache
def script_hash() -> str:
    """SHA-256 in base64, as a Content-Security-Policy names it."""
    return base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()
