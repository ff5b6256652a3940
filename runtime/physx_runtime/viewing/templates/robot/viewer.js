// Draw the state of a robot: poses, intended poses if known, the robot it is compared with, and forces.
const LABELS = 5;               // forces with a number, the strongest
const GHOST = 0.4, OTHER = 0.32, GLASS = 0.3;      // opacity of the intended motion, the compared robot, and shapes around what is inside

class Viewer {
  constructor(canvas, robot) {
    const frame = framing(robot);
    Object.assign(this, { canvas, robot, frame, size: frame.size, focus: null, labels: get("labels"),
      shown: { grid: true, joints: true, frames: false, tendons: true, contacts: true, masses: false, ghost: true, before: true, findings: false } });
    this.painter = glPainter(canvas, robot, frame.size) || flatPainter(canvas, robot, frame.size);
    this.camera = new Camera(canvas, robot, frame);
    this.marks = new Map(robot.marks);
    this.step = round125(frame.size / 6);
    this.colour();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.colour(); this.camera.changed = true; });
  }

  // The colours of the page.
  colour() {
    const style = getComputedStyle(document.documentElement);
    const rgb = name => [1, 3, 5].map(i => parseInt(style.getPropertyValue(name).trim().slice(i, i + 2), 16) / 255);
    this.colours = { axis: rgb("--value"), limit: rgb("--bound"), slack: rgb("--slack"), pull: rgb("--pull"), bone: rgb("--bone"),
      focus: rgb("--focus"), error: rgb("--ignored"), warning: rgb("--altered"), ghost: rgb("--intended"), before: rgb("--before"),
      contact: rgb("--contact"), mass: rgb("--mass"), grid: rgb("--grid"), ground: rgb("--ground") };
  }

  tint(body, colour) {
    const severity = this.shown.findings && this.marks.get(body);
    if (this.focusBody === body && this.focus) return mixed(colour, this.colours.focus, 0.45);
    return severity ? mixed(colour, this.colours[severity], 0.5) : colour;
  }

  draw({ poses, ghost, before, forces, contacts }) {
    const { robot, painter, size, colours, shown } = this, view = this.camera.look(poses);
    painter.begin(view);
    if (shown.masses) this.masses(poses);
    if (!shown.masses && !shown.frames) this.shapes(poses, 1);
    for (const rod of boneRods(robot, poses, size, body => this.tint(body, colours.bone))) painter.rod(...rod);
    if (shown.joints) for (const rod of jointRods(robot, poses, size, colours, this.focus)) painter.rod(...rod);
    if (shown.frames) for (const rod of frameRods(robot, poses, size)) painter.rod(...rod);
    if (shown.tendons) for (const rod of tendonRods(robot, poses, size, colours, forces)) painter.rod(...rod);
    const arrows = shown.contacts && contacts ? contactArrows(robot, contacts, size) : [];
    if (shown.grid) this.floor(view);
    if (shown.masses || shown.frames) this.shapes(poses, GLASS);
    if (shown.ghost && ghost) this.translucent(robot, robot.ghosts, ghost, colours.ghost, GHOST);
    if (shown.before && before) this.translucent(robot.before, null, before, colours.before, OTHER);
    painter.over(true);
    for (const arrow of arrows) this.arrow(arrow);
    painter.over(false);
    painter.end();
    this.label(view, arrows);
    this.camera.changed = false;
  }

  shapes(poses, alpha) {
    for (const shape of this.robot.shapes) this.painter.shape(shape, ...poseOf(poses, shape.body), this.tint(shape.body, shape.colour), alpha);
  }

  // Shapes of some bodies (null: all) at other poses; bones where there are no shapes.
  translucent({ shapes, bones }, bodies, poses, colour, alpha) {
    const moves = body => body >= 0 && (!bodies || bodies.includes(body)), shaped = new Set(shapes.map(shape => shape.body));
    for (const shape of shapes) if (moves(shape.body)) this.painter.shape(shape, ...poseOf(poses, shape.body), colour, alpha);
    for (const [start, end] of bones)
      if (moves(start[0]) && !shaped.has(start[0])) this.painter.rod(placed(poses, start), placed(poses, end), 0.005 * this.size, colour);
  }

  arrow({ at, tip, long }) {
    const head = Math.max(1 - 0.07 * this.size / long, 1 - 2 * HEAD), neck = mixed(at, tip, head), { contact } = this.colours;
    this.painter.rod(at, neck, 0.006 * this.size, contact);
    this.painter.cone(neck, tip, 0.016 * this.size, contact);
  }

  masses(poses) {
    for (const [body, , centre, axes, rotation] of this.robot.masses) {
      const [, turn] = poseOf(poses, body), at = placed(poses, [body, centre]);
      this.painter.ball(at, product(turn, rotation), axes.map(x => Math.max(x, 0.002 * this.size)), this.colours.mass, 1);
    }
  }

  floor({ target }) {
    const up = upAxis(this.robot), axes = [1, 2, 3].map(k => [0, 1, 2].map(i => i === (up + k) % 3 ? 1 : 0));
    const middle = target.map((x, i) => i === up ? this.frame.floor : x);
    this.painter.floor({ middle, axes, step: this.step, extent: 3 * Math.max(this.size, this.camera.reach), colour: this.colours.grid,
      ground: this.robot.floor === null ? null : [...this.colours.ground, 0.5] });
  }

  // Numbers beside the strongest forces.
  label({ width, height, focal, basis, eye }, arrows) {
    const ratio = devicePixelRatio, words = arrows.slice(0, LABELS).map(({ tip, strength }) => {
      const [right, up, back] = basis.map(e => dot(e, add(tip, eye, -1)));
      const word = document.createElement("span");
      word.textContent = `${Number(strength.toPrecision(3))} ${this.robot.forceUnit}`;
      word.style.left = `${(width / 2 - right / back * focal) / ratio}px`;
      word.style.top = `${(height / 2 + up / back * focal) / ratio}px`;
      word.hidden = back > 0;
      return word;
    });
    this.labels.replaceChildren(...words);
  }

  look(path) {
    this.focus = path;
    const place = path && this.robot.places[path];
    this.focusBody = place ? place[0] : null;
    this.camera.focus(place || null);
  }
}
