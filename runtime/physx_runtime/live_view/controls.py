"""The panel of a live view: buttons, switches and sliders, each of which gives an order."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from itertools import groupby

from pxr import Sdf

from physx_runtime.live_view.drawing import ViserObject
from physx_runtime.live_view.knobs import GROUPS, MATERIALS, OTHER_JOINTS, TARGETS, Knob
from physx_runtime.live_view.playback import MAX_SPEED, MIN_SPEED
from physx_runtime.live_view.pull import MAX_STRENGTH, MIN_STRENGTH

MIN_SLIDER_STEPS = 200      # from end to end
ROBOT = "Robot"           # the folder of the only one
MAX_OPEN = 30               # sliders of a group that is open from the start
MAX_ARROW_SCALE = 10.0
Order = Callable[[], None]
KnobKey = tuple[str, str]   # prim path, property or the joint that is put somewhere


class Controls:
    """The panel; gui: of viser. order: called with what a click or a turn asks for, in viser's own threads."""

    def __init__(self, gui: ViserObject, order: Callable[[Order], None]) -> None:
        self._gui, self._order = gui, order
        self.status = gui.add_markdown("")
        self.sliders: dict[KnobKey, ViserObject] = {}

    def add_playback(self, toggle: Order, step: Order, reset: Order, set_speed: Callable[[float], None]) -> None:
        """Buttons and a slider of when it steps."""
        self.pause = self._button("Pause", toggle, "stop the time, or let it go on")
        self.step = self._button("Step", step, "pause and take one step")
        self.reset = self._button("Reset", reset, "go back to the start; changed values stay")
        self.speed = self._slider("Speed", MIN_SPEED, MAX_SPEED, 1.0, 0.1, set_speed,
                                  "simulated seconds in one second")

    def add_view(self, set_strength: Callable[[float], None], show_contacts: Callable[[bool], None],
                 set_arrow_scale: Callable[[float], None], set_translucent: Callable[[bool], None]) -> None:
        """What is drawn, and how strong a drag pulls."""
        with self._gui.add_folder("Forces"):
            self._gui.add_markdown("Drag a body to pull it; drag the background to turn the camera.")
            self.strength = self._slider("Pull strength", MIN_STRENGTH, MAX_STRENGTH, 1.0, 0.1, set_strength,
                                         "stiffness of the spring between the body and the pointer")
            self.contacts = self._switch("Contact forces", True, show_contacts, "arrows at contacts")
            self.translucent = self._switch("Translucent bodies", False, set_translucent, "shows arrows inside bodies")
            self.arrow_scale = self._slider("Arrow length", 0.1, MAX_ARROW_SCALE, 1.0, 0.1, set_arrow_scale,
                                            "length of an arrow for one unit of force")

    def add_files(self, suffixes: Sequence[str], record: Order, save: Order, undo: Order) -> None:
        """Buttons that write files, and where these are."""
        with self._gui.add_folder("Files"):
            self.format = self._gui.add_dropdown("Format", tuple(suffixes), initial_value=suffixes[0],
                                                 hint="of the recording: a film, a page or a layer of time samples")
            self.record = self._button("Record", record, "record the motion; a second click writes the file")
            self.save = self._button("Save edits", save, "write changed values to a layer over the stage")
            self.undo = self._button("Undo edits", undo, "take every changed value back")
            self.file_note = self._gui.add_markdown("")

    def add_knobs(self, knobs: Sequence[Knob], set_value: Callable[[Knob, float], None]) -> None:
        """Folders of robots, of groups in them, and a slider for every knob."""
        robots = list(dict.fromkeys(knob.robot for knob in knobs))
        for robot, members in groupby(knobs, lambda knob: knob.robot):
            if len(robots) == 1:
                self._add_groups(list(members), set_value)
                continue
            with self._gui.add_folder(robot_label(robot, robots), expand_by_default=robot == robots[0]):
                self._add_groups(list(members), set_value)

    def add_messages(self) -> ViserObject:
        """The folder of what the session reports."""
        with self._gui.add_folder("Messages", expand_by_default=False):
            return self._gui.add_markdown("")

    def _add_groups(self, knobs: Sequence[Knob], set_value: Callable[[Knob, float], None]) -> None:
        order = (*GROUPS, MATERIALS)
        for group, members in groupby(sorted(knobs, key=lambda knob: order.index(knob.group)),
                                      lambda knob: knob.group):
            of_group = list(members)
            with self._gui.add_folder(group, expand_by_default=group == TARGETS and len(of_group) <= MAX_OPEN):
                for knob in of_group:
                    self.sliders[knob.path, knob.property or knob.joint] = self._knob_slider(knob, set_value)

    def _knob_slider(self, knob: Knob, set_value: Callable[[Knob, float], None]) -> ViserObject:
        low, high, step = slider_range(knob)
        return self._slider(knob.label, low, high, knob.value, step, lambda value: set_value(knob, value),
                            f"{knob.path}.{knob.property}" if knob.property else knob.joint)

    def _button(self, label: str, order: Order, hint: str) -> ViserObject:
        button = self._gui.add_button(label, hint=hint)
        button.on_click(lambda _: self._order(order))
        return button

    def _switch(self, label: str, value: bool, take: Callable[[bool], None], hint: str) -> ViserObject:
        box = self._gui.add_checkbox(label, value, hint=hint)
        box.on_update(lambda _: self._order(lambda: take(bool(box.value))))
        return box

    def _slider(self, label: str, low: float, high: float, value: float, step: float,
                take: Callable[[float], None], hint: str) -> ViserObject:
        slider = self._gui.add_slider(label, min=low, max=high, step=step, initial_value=value, hint=hint)
        slider.on_update(lambda _: self._order(lambda: take(float(slider.value))))
        return slider


def slider_range(knob: Knob) -> tuple[float, float, float]:
    """The ends and the step of a knob's slider: few digits, inside the knob's ends, around its value."""
    size = knob.high - knob.low
    if size <= 0.0:
        return knob.low, knob.high, 1.0
    digits = math.floor(math.log10(size / MIN_SLIDER_STEPS))
    step = 10.0 ** digits
    low, high = (round(rounded(end / step) * step, max(-digits, 0)) for rounded, end in (
        (math.ceil, knob.low), (math.floor, knob.high)))
    return min(low, knob.value), max(high, knob.value), step


def robot_label(robot: str, robots: Sequence[str]) -> str:
    """The name of a robot's folder: the first prim of its path that tells it from the others."""
    if robot in (OTHER_JOINTS, MATERIALS):
        return robot
    paths = [Sdf.Path(path) for path in robots if path not in (OTHER_JOINTS, MATERIALS)]
    if len(paths) == 1:
        return ROBOT
    common = functools.reduce(lambda a, b: a.GetCommonPrefix(b), paths)
    below = Sdf.Path(robot).GetPrefixes()[common.pathElementCount:]
    return str(below[0].name) if below else Sdf.Path(robot).name
