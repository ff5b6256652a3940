// The camera: drag or arrow keys rotate, the wheel or + and - zoom.
const FILLED = 0.8;            // of the image, by the box of the motion
const FOCAL = 1.7;              // focal length, in the shorter side of the image

class Camera {
  constructor(canvas, robot, frame) {
    Object.assign(this, { canvas, robot, frame, aim: null, turn: 0.9, lift: 0.35, reach: 1, fitted: true, changed: true });
    canvas.addEventListener("pointerdown", event => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", event => { if (event.buttons) this.move(event.movementX, event.movementY); });
    canvas.addEventListener("wheel", event => { event.preventDefault(); this.zoom(Math.exp(event.deltaY / 500)); }, { passive: false });
    canvas.addEventListener("keydown", event => this.key(event));
  }

  move(x, y) {
    this.turn -= x / 150;
    this.lift = Math.max(-1.55, Math.min(1.55, this.lift + y / 150));
    this.changed = true;
  }

  zoom(factor) {
    const { size } = this.frame;
    this.reach = Math.max(0.05 * size, Math.min(20 * size, this.reach * factor));
    this.fitted = false;
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
    this.fitted = !place;
    if (place) this.reach = 0.6 * this.frame.size;
    this.changed = true;
  }

  // How far from the middle of the box all of its corners are in the image.
  distance(basis, width, height) {
    const focal = FOCAL * Math.min(width, height) || 1, { centre } = this.frame;
    return this.frame.corners.reduce((most, corner) => {
      const [right, up, back] = basis.map(e => dot(e, add(corner, centre, -1)));
      return Math.max(most, back + 2 * focal / FILLED * Math.max(Math.abs(right) / width, Math.abs(up) / height));
    }, 0.3 * this.frame.size);
  }

  // Size of the image, basis (right, up, back), eye and what it looks at.
  look(poses) {
    const { canvas } = this, ratio = devicePixelRatio, width = canvas.clientWidth * ratio | 0, height = canvas.clientHeight * ratio | 0;
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const up = v => this.robot.up === "Y" ? [v[1], v[2], v[0]] : v;         // cyclic: z up becomes y up
    const c = Math.cos(this.turn), s = Math.sin(this.turn), a = Math.cos(this.lift), b = Math.sin(this.lift);
    const basis = [up([-s, c, 0]), up([-c * b, -s * b, a]), up([c * a, s * a, b])];
    if (this.fitted) this.reach = this.distance(basis, width, height);
    const target = this.aim ? placed(poses, this.aim) : add(this.frame.centre, this.frame.followed(poses));
    return { width, height, focal: FOCAL * Math.min(width, height), basis, eye: add(target, basis[2], this.reach), target };
  }
}
