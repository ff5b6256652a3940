"""The command `view`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from physx_schema.command_line.options import force_option, isolation_option
from physx_schema.errors import UnsupportedError, printable
from physx_schema.files import require_layer_name


@click.command("view")
@click.argument("stage")
@isolation_option
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True,
              help="Port on the loopback address; if it is in use, the next free port.")
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), default=Path("edits.usda"),
              show_default=True, help="Layer file that the button 'Save edits' writes.")
@force_option
@click.option("--open", "shown", is_flag=True, help="Open the view in a browser.")
def view_command(stage: str, port: int, out: Path, force: bool, shown: bool) -> None:
    """Simulate a robot live in a browser. End with Ctrl-C.

    The page has sliders for joints, targets, drives and tendons. Sliders author their values in a layer over the
    stage; the button 'Save edits' writes this layer. Joint sliders move the joints and author nothing.
    """
    if find_spec("viser") is None:
        raise UnsupportedError("the live view needs viser, which is not installed; run: "
                               "pip install 'physx-schema[view]'")
    from physx_runtime.live_view.robot import LiveRobot
    from physx_runtime.live_view.server import LiveView
    from physx_schema.description.stages import open_stage
    from physx_schema.outputs import files_of, require_output

    usd_stage = open_stage(stage)
    require_layer_name(out)
    require_output(out, files_of(usd_stage), force)
    view = LiveView(LiveRobot(usd_stage), out, port)
    click.echo(printable(f"{stage}: live at {view.address}; press Ctrl-C to end"))
    if shown:
        import webbrowser

        webbrowser.open(view.address)
    view.run()
