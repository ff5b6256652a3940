// The recorded motion: poses interpolated between records, and tendon forces.
class Recorded {
  constructor(robot) {
    this.robot = robot;
    this.poses = robot.part("poses", Float32Array);
    this.intended = robot.part("intended", Float32Array);
    this.forces = robot.part("forces", Float32Array);
    this.end = robot.dt * (robot.frames - 1);
    this.time = 0;
  }

  get moves() { return this.end > 0; }

  advance(seconds) { this.time = this.time >= this.end ? 0 : Math.min(this.time + seconds, this.end); }

  show(state) {
    const place = this.end ? this.time / this.robot.dt : 0, record = Math.min(Math.floor(place), this.robot.frames - 1);
    const next = Math.min(record + 1, this.robot.frames - 1), part = place - record;
    this.between(this.poses, record, next, part, state.poses);
    state.ghost = this.intended.length ? this.between(this.intended, record, next, part, state.ghost || new Float32Array(state.poses.length)) : null;
    const count = this.robot.tendons.length;
    state.forces = this.forces.length ? Array.from(this.forces.subarray(count * record, count * (record + 1))) : null;
  }

  between(all, first, second, part, out) {
    const size = 7 * this.robot.bodies.length;
    for (let o = 0; o < size; o += 7) {
      const a = all.subarray(first * size + o, first * size + o + 7), b = all.subarray(second * size + o, second * size + o + 7);
      const side = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
      for (let i = 0; i < 7; i++) out[o + i] = a[i] + part * ((i < 3 ? b[i] : side * b[i]) - a[i]);
      const length = Math.hypot(out[o + 3], out[o + 4], out[o + 5], out[o + 6]) || 1;
      for (let i = 3; i < 7; i++) out[o + i] /= length;
    }
    return out;
  }
}
