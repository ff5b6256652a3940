// The camera: drag or arrow keys rotate, the wheel or + and - zoom.
class Camera {
  constructor(canvas, robot, poses, size, centre) {
    Object.assign(this, { canvas, robot, size, centre, aim: null, turn: 0.9, lift: 0.35, reach: 1.15 * size, changed: true });
    this.start = poses.slice();
    this.root = this.largest();
    canvas.addEventListener("pointerdown", event => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", event => { if (event.buttons) this.move(event.movementX, event.movementY); });
    canvas.addEventListener("wheel", event => { event.preventDefault(); this.zoom(Math.exp(event.deltaY / 500)); }, { passive: false });
    canvas.addEventListener("keydown", event => this.key(event));
  }

  // The body that the camera follows: the root of the first robot.
  largest() { return this.robot.joints.length ? this.robot.joints[0].parent[0] : 0; }

  move(x, y) {
    this.turn -= x / 150;
    this.lift = Math.max(-1.55, Math.min(1.55, this.lift + y / 150));
    this.changed = true;
  }

  zoom(factor) {
    this.reach = Math.max(0.05 * this.size, Math.min(20 * this.size, this.reach * factor));
    this.changed = true;
  }

  key(event) {
    const moves = { ArrowLeft: [-15, 0], ArrowRight: [15, 0], ArrowUp: [0, 15], ArrowDown: [0, -15] };
    if (moves[event.key]) this.move(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(0.85);
    else if (event.key === "-") this.zoom(1.18);
    else return;
    event.preventDefault();
  }

  focus(place) {
    this.aim = place;
    this.reach = place ? 0.6 * this.size : 1.15 * this.size;
    this.changed = true;
  }

  // Size of the image, basis (right, up, back) and eye.
  look(poses) {
    const { canvas } = this, ratio = devicePixelRatio, width = canvas.clientWidth * ratio | 0, height = canvas.clientHeight * ratio | 0;
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const up = v => this.robot.up === "Y" ? [v[1], v[2], v[0]] : v;         // cyclic: z up becomes y up
    const c = Math.cos(this.turn), s = Math.sin(this.turn), a = Math.cos(this.lift), b = Math.sin(this.lift);
    const basis = [up([-s, c, 0]), up([-c * b, -s * b, a]), up([c * a, s * a, b])];
    const o = 7 * this.root;
    const at = this.aim ? placed(poses, this.aim) :
      this.centre.map((x, i) => x + (poses.length ? poses[o + i] - this.start[o + i] : 0));
    return { width, height, basis, eye: add(at, basis[2], this.reach) };
  }
}
