// What the camera frames: the box of the robot over its motion, about a floating base that travels.
const SAMPLES = 24;             // records that the box is taken of
const TRAVEL = 0.6;             // of the robot's size, beyond which the camera follows
const MOST = 4;                 // the largest box, in sizes of the robot

const upAxis = robot => "XYZ".indexOf(robot.up);

// Corners of every shape in its body, and the origins of the others.
function cornersOf(robot) {
  const points = robot.part("points", Float32Array), faces = robot.part("faces", Uint32Array), found = [];
  for (const { body, from, count } of robot.shapes) {
    if (body < 0) continue;
    const box = new Box();
    for (let i = from; i < from + count; i++) box.include(points.subarray(3 * faces[i], 3 * faces[i] + 3));
    found.push(...box.corners().map(corner => [body, corner]));
  }
  const shaped = new Set(robot.shapes.map(shape => shape.body));
  for (const [start, end] of robot.bones) if (!shaped.has(start[0])) found.push(start, end);
  robot.bodies.forEach((_, body) => { if (!shaped.has(body)) found.push([body, [0, 0, 0]]); });
  return found;
}

class Box {
  constructor() { this.low = [Infinity, Infinity, Infinity]; this.high = [-Infinity, -Infinity, -Infinity]; }

  include(x) {
    for (let i = 0; i < 3; i++) { this.low[i] = Math.min(this.low[i], x[i]); this.high[i] = Math.max(this.high[i], x[i]); }
  }

  get size() { return Math.hypot(...add(this.high, this.low, -1)); }

  get centre() { return mixed(this.low, this.high, 0.5); }

  corners() {
    return [0, 1, 2, 3, 4, 5, 6, 7].map(k => [0, 1, 2].map(i => k >> i & 1 ? this.high[i] : this.low[i]));
  }
}

function framing(robot) {
  const all = robot.part("poses", Float32Array), width = 7 * robot.bodies.length, corners = cornersOf(robot);
  const records = [];
  for (let k = 0; k < Math.min(SAMPLES, robot.frames); k++) {
    const record = Math.round(k * (robot.frames - 1) / Math.max(1, Math.min(SAMPLES, robot.frames) - 1));
    records.push(all.subarray(record * width, (record + 1) * width));
  }
  const boxOf = (poses, shift) => {
    const box = new Box();
    for (const corner of corners) {
      const x = add(placed(poses, corner), shift, -1);
      if (x.every(Number.isFinite)) box.include(x);
    }
    return box;
  };
  const still = boxOf(records[0] || all, [0, 0, 0]), size = Number.isFinite(still.size) && still.size || 1;
  const axes = followedAxes(robot, records, size), start = records[0];
  const followed = poses => axes.map((on, i) => on ? poses[7 * robot.follow + i] - start[7 * robot.follow + i] || 0 : 0);
  const box = new Box(), centre = Number.isFinite(still.size) ? still.centre : [0, 0, 0];
  box.include(centre);
  for (const poses of records)
    for (const corner of boxOf(poses, followed(poses)).corners())
      if (corner.every(Number.isFinite)) box.include(corner.map((x, i) => Math.max(centre[i] - MOST * size / 2, Math.min(centre[i] + MOST * size / 2, x))));
  const floor = robot.floor === null ? lowest(robot, still, upAxis(robot)) : robot.floor;
  return { size, centre: box.centre, corners: box.corners(), followed, floor };
}

// The axes of the world along which the camera follows the base: those along which it travels far.
function followedAxes(robot, records, size) {
  if (robot.follow < 0) return [false, false, false];
  const spans = [0, 1, 2].map(i => {
    const values = records.map(poses => poses[7 * robot.follow + i]).filter(Number.isFinite);
    return Math.max(...values) - Math.min(...values);
  });
  const up = upAxis(robot), far = spans.some((span, i) => i !== up && span > TRAVEL * size);
  return spans.map((span, i) => i === up ? span > 3 * size : far);
}

// The lowest point at the start, static shapes included: where the grid lies without a ground plane.
function lowest(robot, still, up) {
  const points = robot.part("points", Float32Array), faces = robot.part("faces", Uint32Array);
  let low = Number.isFinite(still.low[up]) ? still.low[up] : 0;
  for (const { body, from, count } of robot.shapes)
    for (let i = from; body < 0 && i < from + count; i++) low = Math.min(low, points[3 * faces[i] + up]);
  return low;
}
