// Draw the state of a robot: poses, intended poses if known, and tendon forces.
class Viewer {
  constructor(canvas, robot, poses) {
    Object.assign(this, { canvas, robot, shown: { joints: true, tendons: true, ghost: true, findings: true }, focus: null });
    const { size, centre } = extent(robot, poses);
    this.size = size;
    this.painter = glPainter(canvas, robot, size) || flatPainter(canvas, robot, size);
    this.camera = new Camera(canvas, robot, poses, size, centre);
    this.marks = new Map(robot.marks);
    this.colour();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.colour(); this.camera.changed = true; });
  }

  // The colours of the page.
  colour() {
    const style = getComputedStyle(document.documentElement);
    const rgb = name => [1, 3, 5].map(i => parseInt(style.getPropertyValue(name).trim().slice(i, i + 2), 16) / 255);
    this.colours = { axis: rgb("--value"), limit: rgb("--bound"), slack: rgb("--slack"), pull: rgb("--pull"), bone: rgb("--bone"),
      focus: rgb("--focus"), error: rgb("--ignored"), warning: rgb("--altered"), ghost: rgb("--intended") };
  }

  tint(body, colour) {
    const severity = this.shown.findings && this.marks.get(body);
    if (this.focusBody === body && this.focus) return mixed(colour, this.colours.focus, 0.45);
    return severity ? mixed(colour, this.colours[severity], 0.5) : colour;
  }

  draw({ poses, ghost, forces }) {
    const { robot, painter, size, colours } = this;
    const pose = (all, body) => body < 0 ? [[0, 0, 0], [0, 0, 0, 1]] :
      [Array.from(all.subarray(7 * body, 7 * body + 3)), Array.from(all.subarray(7 * body + 3, 7 * body + 7))];
    painter.begin(this.camera.look(poses));
    for (const shape of robot.shapes) painter.shape(shape, ...pose(poses, shape.body), this.tint(shape.body, shape.colour), 1);
    for (const rod of boneRods(robot, poses, size, body => this.tint(body, colours.bone))) painter.rod(...rod);
    if (this.shown.joints) for (const rod of jointRods(robot, poses, size, colours, this.focus)) painter.rod(...rod);
    if (this.shown.tendons) for (const rod of tendonRods(robot, poses, size, colours, forces)) painter.rod(...rod);
    if (this.shown.ghost && ghost)
      for (const shape of robot.shapes) if (shape.body >= 0) painter.shape(shape, ...pose(ghost, shape.body), colours.ghost, 0.4);
    painter.end();
    this.camera.changed = false;
  }

  look(path) {
    this.focus = path;
    const place = path && this.robot.places[path];
    this.focusBody = place ? place[0] : null;
    this.camera.focus(place || null);
  }
}
