"""Recordings as .gif and .mp4."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from physx_runtime.simulation.recording import Recording
from physx_runtime.viewing.film.scene import FilmScene
from physx_schema.description.model import Description
from physx_schema.description.stages import open_stage, source_name
from physx_schema.errors import UnsupportedError
from physx_schema.files import replacing
from physx_schema.outputs import MARK

FRAME_RATE = 25                       # pictures a second: a whole number of the hundredths in which .gif counts
WIDTH, HEIGHT = 640, 480        # pixels
Pictures = Iterator[NDArray[np.uint8]]


def require_film(path: Path) -> None:
    """Raise UnsupportedError where what writes such a film is not installed."""
    package, extra, _ = FORMATS[path.suffix]
    if find_spec(package) is None:
        raise UnsupportedError(f"{path}: writing {path.suffix} needs {package}, which is not installed; run: "
                               f"pip install 'physx-schema[{extra}]'")


def write_film(stage: Usd.Stage, description: Description, recording: Recording, path: Path, world: int = 0) -> None:
    """Write a recording of a world as a film in real time, which ends where a position is no number any more.

    The file appears whole or not at all.

    Raises:
        UnsupportedError: what writes such a film is not installed, or there is nothing to see.
        OSError: the file cannot be written.
    """
    require_film(path)
    poses = recording.body_pose[:, world].astype(np.float64)
    is_valid = np.isfinite(poses).all(axis=(1, 2))
    count = len(poses) if is_valid.all() else int(np.argmin(is_valid))
    usd_stage = open_stage(stage)
    scene = FilmScene(usd_stage, description, recording.body_names)
    if not count or scene.empty:
        raise UnsupportedError(f"{path}: the film would be empty; {source_name(usd_stage)} has no shapes and no links")
    view = scene.view(poses[:count], str(UsdGeom.GetStageUpAxis(usd_stage)), WIDTH, HEIGHT)
    with replacing(path) as temporary:
        FORMATS[path.suffix][2](temporary, (
            scene.picture(poses[record], view) for record in _record_indices(recording.time[:count])))


def _record_indices(times: NDArray[np.float64]) -> NDArray[np.int64]:
    """The record of each picture: the one nearest in time."""
    moments = times[0] + np.arange(0.0, times[-1] - times[0] + 0.5 / FRAME_RATE, 1.0 / FRAME_RATE)
    between = (times[1:] + times[:-1]) / 2
    records: NDArray[np.int64] = np.searchsorted(between, moments)
    return records


def _write_gif(path: Path, pictures: Pictures) -> None:
    from PIL import Image

    images = (Image.fromarray(picture).quantize() for picture in pictures)
    next(images).save(path, save_all=True, append_images=images, duration=1000 // FRAME_RATE, loop=0,
                      comment=MARK)


def _write_mp4(path: Path, pictures: Pictures) -> None:
    from imageio_ffmpeg import count_frames_and_secs, write_frames

    writer, sent, encoded = write_frames(str(path), (WIDTH, HEIGHT), fps=FRAME_RATE,
                                       output_params=["-metadata", f"comment={MARK}"]), 0, 0
    writer.send(None)
    with suppress(OSError), closing(writer):        # it says so in many lines, and not always
        for picture in pictures:
            sent += 1
            writer.send(picture)
    with suppress(RuntimeError):                    # of what is cut off nothing can be read
        encoded = count_frames_and_secs(str(path))[0]
    if encoded != sent:
        raise OSError(f"ffmpeg encoded only {encoded} of {sent} frames")


# By suffix: the package that writes it, the extra that brings it, and how.
FORMATS: dict[str, tuple[str, str, Callable[[Path, Pictures], None]]] = {
    ".gif": ("PIL", "report", _write_gif), ".mp4": ("imageio_ffmpeg", "film", _write_mp4)}
