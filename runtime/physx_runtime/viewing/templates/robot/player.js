// Play, pause and scrub the recorded motion or the live step.
const get = id => document.getElementById(id);

class Player {
  constructor(robot) {
    this.robot = robot;
    this.recorded = this.source = new Recorded(robot);
    this.state = { poses: new Float32Array(7 * robot.bodies.length), ghost: null, before: null, forces: null, contacts: null };
    this.source.show(this.state);
    this.viewer = new Viewer(get("view"), robot);
    this.playing = false;
    this.dirty = true;
    this.wire();
    this.choices();
    requestAnimationFrame(now => this.frame(now));
  }

  frame(now) {
    const seconds = Math.min((now - (this.last || now)) / 1000, 0.1);
    this.last = now;
    if (this.playing) this.source.advance(seconds);
    if (this.playing || this.dirty || this.viewer.camera.changed || this.resized()) {
      this.source.show(this.state);
      this.viewer.draw(this.state);
      this.clock();
      this.dirty = false;
    }
    requestAnimationFrame(next => this.frame(next));
  }

  resized() {
    const { clientWidth, clientHeight } = this.viewer.canvas, key = `${clientWidth} ${clientHeight} ${devicePixelRatio}`;
    const changed = key !== this.size;
    this.size = key;
    return changed;
  }

  clock() {
    const { time, end } = this.source;
    get("clock").textContent = end ? `${time.toFixed(2)} of ${end.toFixed(2)} s` : `${time.toFixed(2)} s`;
    if (end) get("scrub").value = Math.round(1000 * time / end);
  }

  play(on) {
    this.playing = on && this.source.moves;
    get("play").textContent = this.playing ? "Pause" : "Play";
    get("play").setAttribute("aria-pressed", this.playing);
  }

  wire() {
    get("play").onclick = () => this.play(!this.playing);
    get("play").disabled = get("scrub").disabled = !this.source.moves;
    get("scrub").oninput = event => this.seek(this.source.end * event.target.value / 1000);
    get("whole").onclick = () => this.look(null);
    get("view").addEventListener("keydown", event => {
      if (event.key === " ") { event.preventDefault(); this.play(!this.playing); }
    });
    for (const name of Object.keys(this.viewer.shown)) {
      const box = get(`show-${name}`);
      box.checked = this.viewer.shown[name];
      box.onchange = () => { this.viewer.shown[name] = box.checked; this.dirty = true; };
    }
  }

  // Stop at a time of the recorded motion.
  seek(time) {
    if (this.source !== this.recorded) get("mode-recorded").click();
    this.play(false);
    this.source.time = Math.max(0, Math.min(this.source.end, time));
    this.dirty = true;
  }

  // Hide choices without content.
  choices() {
    const { robot } = this;
    const there = { joints: robot.joints.length, frames: robot.frameMarks.length, tendons: robot.tendons.length, masses: robot.masses.length,
      contacts: robot.strongestContact, findings: robot.marks.length, ghost: this.recorded.ideal, before: this.recorded.other };
    for (const [name, some] of Object.entries(there)) get(`show-${name}`).parentElement.hidden = !some;
    get("grid-step").textContent = `${this.viewer.step.toPrecision(1) * 1} ${robot.lengthUnit}`;
  }

  look(path) {
    this.viewer.look(path);
    get("focused").textContent = path || "";
  }

  async offerLive() {
    if (!this.robot.live) return;
    try {
      this.live = await Live.start(this.robot);
    } catch (error) {
      get("live-said").textContent = `This browser cannot run the live simulation (${error.message}). Only the recorded motion is available.`;
      return;
    }
    this.sliders = sliderGroups(this.robot, this.live, () => { this.dirty = true; if (!this.playing) this.play(true); });
    get("sliders").append(...this.sliders.made);
    get("modes").hidden = false;
    get("restart").onclick = () => { this.live.reset(); this.sliders.refresh(); this.dirty = true; };
    for (const mode of ["recorded", "live"]) get(`mode-${mode}`).onchange = () => this.run(mode);
  }

  run(mode) {
    const live = mode === "live";
    this.source = live ? this.live : this.recorded;
    get("scrub").hidden = live;
    get("live").hidden = !live;
    for (const [name, some] of [["ghost", this.recorded.ideal], ["before", this.recorded.other], ["contacts", this.robot.strongestContact]])
      get(`show-${name}`).parentElement.hidden = live || !some;
    get("play").disabled = !this.source.moves;
    this.dirty = true;
    this.play(true);
  }
}
