// The recorded motion: poses interpolated between records, with tendon and contact forces.
class Recorded {
  constructor(robot) {
    this.robot = robot;
    this.own = new Track(robot.part("poses", Float32Array), robot.bodies.length, robot.dt, robot.frames);
    this.intended = robot.part("intended", Float32Array);
    this.ideal = this.intended.length ? new Track(this.intended, robot.bodies.length, robot.dt, robot.frames) : null;
    const { before } = robot;
    this.other = before ? new Track(robot.part("before", Float32Array), before.bodies, before.dt, before.frames) : null;
    this.forces = robot.part("forces", Float32Array);
    this.contacts = robot.part("contacts", Float32Array);
    robot.strongestContact = this.strongest();
    this.end = robot.dt * (robot.frames - 1);
    this.time = 0;
  }

  get moves() { return this.end > 0; }

  advance(seconds) { this.time = this.time >= this.end ? 0 : Math.min(this.time + seconds, this.end); }

  show(state) {
    this.own.show(this.time, state.poses);
    state.ghost = this.ideal && this.ideal.show(this.time, state.ghost || new Float32Array(state.poses.length));
    state.before = this.other && this.other.show(this.time, state.before || new Float32Array(7 * this.robot.before.bodies));
    const count = this.robot.tendons.length, [record, part] = this.own.record(this.time);
    state.forces = this.forces.length ? Array.from(this.forces.subarray(count * record, count * (record + 1))) : null;
    state.contacts = this.touching(Math.round(record + part));
  }

  // Rows of a record: body, point, force.
  touching(record) {
    const starts = this.robot.contactStarts, rows = [];
    for (let i = starts[record]; i < starts[record + 1]; i++) rows.push(Array.from(this.contacts.subarray(7 * i, 7 * i + 7)));
    return rows;
  }

  strongest() {
    let most = 0;
    for (let i = 0; i < this.contacts.length; i += 7) most = Math.max(most, Math.hypot(...this.contacts.subarray(i + 4, i + 7)));
    return most;
  }
}

// Poses of bodies at equal steps of time.
class Track {
  constructor(all, bodies, dt, frames) { Object.assign(this, { all, width: 7 * bodies, dt, frames }); }

  // A record and the fraction of the step after it.
  record(time) {
    const place = this.dt ? Math.min(time / this.dt, this.frames - 1) : 0, record = Math.floor(place);
    return [record, place - record];
  }

  show(time, out) {
    const [record, part] = this.record(time), { all, width } = this, first = record * width, second = Math.min(record + 1, this.frames - 1) * width;
    for (let o = 0; o < width; o += 7) {
      const a = all.subarray(first + o, first + o + 7), b = all.subarray(second + o, second + o + 7);
      const side = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
      for (let i = 0; i < 7; i++) out[o + i] = a[i] + part * ((i < 3 ? b[i] : side * b[i]) - a[i]);
      const length = Math.hypot(out[o + 3], out[o + 4], out[o + 5], out[o + 6]) || 1;
      for (let i = 3; i < 7; i++) out[o + i] /= length;
    }
    return out;
  }
}
