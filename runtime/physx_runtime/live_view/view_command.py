"""The command `view`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from physx_schema.command_line.options import isolation_option
from physx_schema.errors import UnsupportedError, printable
from physx_schema.files import LAYER_SUFFIXES


@click.command("view")
@click.argument("stage")
@isolation_option
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True,
              help="Port on the loopback address; if it is in use, the next free port.")
@click.option("-o", "--out", type=click.Path(file_okay=False, path_type=Path), default=Path(),
              help="Folder of the files that buttons write.  [default: the current folder]")
@click.option("--open", "shown", is_flag=True, help="Open the view in a browser.")
def view_command(stage: str, port: int, out: Path, shown: bool) -> None:
    """Simulate a stage live in a browser. End with Ctrl-C.

    Drag bodies with the mouse. Sliders change targets, drives, friction, tendons and materials, and put joints
    somewhere. Buttons pause, step, reset, record, and save changed values. Each file has a new name; nothing is
    overwritten.
    """
    if find_spec("viser") is None:
        raise UnsupportedError("the live view needs viser, which is not installed; run: "
                               "pip install 'physx-schema[view]'")
    if out.suffix in LAYER_SUFFIXES and not out.is_dir():
        raise UnsupportedError(f"{printable(str(out))}: the name of a layer; --out is the folder of all files that "
                               "buttons write")
    from physx_runtime.live_view.robot import LiveRobot
    from physx_runtime.live_view.server import LiveView
    from physx_schema.description.stages import open_stage

    view = LiveView(LiveRobot(open_stage(stage)), out, port)
    click.echo(printable(f"{stage}: live at {view.address}; press Ctrl-C to end"))
    if shown:
        import webbrowser

        webbrowser.open(view.address)
    view.run()
