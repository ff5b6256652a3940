"""Change a schema definition, regenerate, and use the new accessor.

    python examples/change_a_definition.py

Works on a copy of schema/ in a temporary folder. In a checkout the same change is one edit and `physx-schema generate`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCHEMA = Path(__file__).resolve().parents[1] / "schema"
BEFORE = "  - {name: tendonEnabled,  type: bool,  default: true,"
ADDED = ('  - {name: routing, type: token, default: sheath, tokens: [sheath, pulley], display: Routing,\n'
         '     doc: How the tendon is led past its joints.}\n')


def edit(definitions: Path) -> None:
    """Give the root axis of fixed tendons an attribute `routing`, sheath or pulley."""
    source = definitions / "physx" / "tendon.yaml"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace(BEFORE, ADDED + BEFORE, 1), encoding="utf-8")


def main() -> None:
    """Copy, edit, regenerate, import, use."""
    folder = Path(tempfile.mkdtemp(prefix="physx-schema-"))
    definitions = Path(shutil.copytree(SCHEMA, folder / "schema"))
    edit(definitions)
    program = shutil.which("physx-schema", path=str(Path(sys.executable).parent)) or "physx-schema"
    subprocess.run([program, "generate", "--from", definitions, "--out", folder / "physx_generated"], check=True)

    sys.path.insert(0, str(folder))         # before the installed package of the same name
    from physx_generated import AuthoringError, PhysxTendonAxisRootAPI
    from pxr import Usd

    stage = Usd.Stage.CreateInMemory()
    joint = stage.DefinePrim("/Joint", "PhysicsRevoluteJoint")
    tendon = PhysxTendonAxisRootAPI.Apply(joint, "flexor", stiffness=50.0, routing="pulley")
    print(f"{tendon.GetRoutingAttr().GetPath()} = {tendon.GetRoutingAttr().Get()}")
    print(f"a new tendon has {PhysxTendonAxisRootAPI.Apply(joint, 'other').GetRoutingAttr().Get()}")
    try:
        tendon.set(routing="pully")
    except AuthoringError as error:
        print(error)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
