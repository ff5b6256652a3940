// The live step. Sliders write to the memory of its rows.
class Live {
  static async start(robot) {
    const { instance } = await WebAssembly.instantiate(robot.part("wasm", Uint8Array));
    return new Live(robot, instance.exports);
  }

  constructor(robot, { memory, step, poses }) {
    this.robot = robot;
    this.step = () => step(1, ...robot.live.iterations);
    this.pose = poses;
    this.rows = new Float32Array(memory.buffer);
    this.bytes = new Uint8Array(memory.buffer);
    this.stand = robot.part("poses", Float32Array).slice(0, 7 * robot.bodies.length);
    this.reset();
  }

  get moves() { return true; }

  reset() {
    this.bytes.set(this.robot.part("memory", Uint8Array));
    this.behind = this.time = 0;
  }

  value(slider) { return this.rows[slider.at[0] / 4]; }

  set(slider, value) {
    for (const place of slider.at) this.rows[place / 4] = value;
    if (this.robot.live.stirred !== null) this.rows[this.robot.live.stirred / 4] = 1;     // wake the actor, as any write does
  }

  advance(seconds) {
    const { dt } = this.robot.live;
    for (this.behind += seconds; this.behind >= dt; this.behind -= dt) { this.step(); this.time += dt; }
  }

  show(state) {
    const { bodies, pose, tendons } = this.robot.live;
    this.pose();
    state.poses.set(this.stand);
    bodies.forEach((body, i) => state.poses.set(this.rows.subarray(pose / 4 + 7 * i, pose / 4 + 7 * i + 7), 7 * body));
    state.ghost = state.before = state.contacts = null;
    state.forces = tendons.map(place => place ? this.rows[place[0] / 4] * place[1] : 0);
  }
}
