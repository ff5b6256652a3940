"""Two mistakes that USD accepts without a word, planted in a copy of the hand."""

from __future__ import annotations

from pathlib import Path

from pxr import Sdf

from physx_runtime.demonstration.hand import PHALANGES, THUMB
from physx_schema.files import replacing

INSTANCE, WRONG_INSTANCE = "rotY", "Z"
DRIVE_TYPE = f"{THUMB.joint(PHALANGES[0])}.drive:angular:physics:type"
MISSPELT = "acceleratoin"


def break_hand(text: str, path: Path) -> Path:
    """Write the layer of a hand with the mimic joint's instance renamed and the type of the thumb's drive misspelt.

    The typed API refuses such values, so the text is changed, as an editor or another program would.
    """
    for name in ("PhysxMimicJointAPI", "physxMimicJoint"):
        text = text.replace(f"{name}:{INSTANCE}", f"{name}:{WRONG_INSTANCE}")
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    layer.GetAttributeAtPath(DRIVE_TYPE).default = MISSPELT
    with replacing(path) as temporary:
        layer.Export(str(temporary))
    return path
