// Rods between points: axes, limits, tendons and marks of findings.
const ARC_PARTS = 16;

// Lengths of the drawn axes and arcs of joints, smaller for more joints.
function scales(robot, size) {
  return robot.joints.map(() => 0.055 * size * Math.min(1, 2.4 / Math.sqrt(robot.joints.length || 1)));
}

function* jointRods(robot, poses, size, colours, focus) {
  const lengths = robot.scales || (robot.scales = scales(robot, size));
  for (const [i, joint] of robot.joints.entries()) {
    const at = placed(poses, joint.parent), axis = turned(poses, joint.parent[0], joint.axis);
    const own = placed(poses, joint.child), r = lengths[i], thick = 0.004 * size, chosen = focus === joint.name.split(":")[0];
    const ink = chosen ? colours.focus : colours.axis;
    yield [add(own, axis, -r), add(own, axis, r), thick, ink];
    if (joint.low === null || joint.high === null) continue;
    if (!joint.angular) {
      yield [add(at, axis, joint.sign * joint.low), add(at, axis, joint.sign * joint.high), thick, colours.limit];
      continue;
    }
    const zero = turned(poses, joint.parent[0], joint.zero), tip = angle => add(own, about(axis, zero, joint.sign * angle), 1.6 * r);
    const low = joint.low, span = Math.min(joint.high - joint.low, 2 * Math.PI);
    for (let k = 0; k < ARC_PARTS; k++)
      yield [tip(low + span * k / ARC_PARTS), tip(low + span * (k + 1) / ARC_PARTS), 0.6 * thick, colours.limit];
    yield [own, tip(low), 0.4 * thick, colours.limit];
    yield [own, tip(low + span), 0.4 * thick, colours.limit];
    yield [own, add(own, turned(poses, joint.child[0], joint.hand), 1.6 * r), 0.8 * thick, ink];
  }
}

// Tendons from blue (slack) to red (strongest force so far).
function* tendonRods(robot, poses, size, colours, forces) {
  for (const force of forces || []) robot.strongest = Math.max(robot.strongest || 1e-9, Math.abs(force));
  for (const [i, { path }] of robot.tendons.entries()) {
    const ink = forces ? mixed(colours.slack, colours.pull, Math.abs(forces[i]) / robot.strongest) : colours.slack;
    for (let k = 1; k < path.length; k++) yield [placed(poses, path[k - 1]), placed(poses, path[k]), 0.006 * size, ink];
  }
}

// A body without a shape is drawn as a bone to each of its joints.
function* boneRods(robot, poses, size, ink) {
  const shaped = robot.shaped || (robot.shaped = new Set(robot.shapes.map(shape => shape.body)));
  const boned = robot.boned || (robot.boned = new Set(robot.bones.map(([start]) => start[0])));
  for (const [start, end] of robot.bones)
    if (!shaped.has(start[0])) yield [placed(poses, start), placed(poses, end), 0.01 * size, ink(start[0])];
  for (let body = 0; body < robot.bodies.length; body++) {
    if (shaped.has(body) || boned.has(body)) continue;
    const at = placed(poses, [body, [0, 0, 0]]), half = [0, 0, 0.015 * size];
    yield [add(at, half, -1), add(at, half), 0.015 * size, ink(body)];
  }
}

// The frames of joints on both of their bodies: x red, y green, z blue.
const FRAME_INKS = [[0.86, 0.2, 0.18], [0.2, 0.62, 0.24], [0.2, 0.42, 0.9]];

function* frameRods(robot, poses, size) {
  const long = 0.09 * size * Math.min(1, 3 / Math.sqrt(robot.frameMarks.length || 1));
  for (const [body, position, rotation] of robot.frameMarks) {
    const own = [0, 0, 0, ...rotation], at = placed(poses, [body, position]);
    for (let i = 0; i < 3; i++) {
      const axis = turned(poses, body, turned(own, 0, [0, 1, 2].map(k => k === i ? 1 : 0)));
      yield [at, add(at, axis, long), 0.0035 * size, FRAME_INKS[i]];
    }
  }
}

// Contact forces: where each begins, ends and what it comes to; the strongest of the motion is a third of the robot.
const ARROW_LENGTH = 0.34, LEAST_ARROW = 0.02, HEAD = 0.25;

function contactArrows(robot, contacts, size) {
  return contacts.map(([, x, y, z, ...force]) => {
    const strength = Math.hypot(...force), at = [x, y, z];
    const long = ARROW_LENGTH * size * strength / (robot.strongestContact || 1);
    return { at, tip: add(at, force, long / (strength || 1)), strength, long };
  }).filter(({ long }) => long > LEAST_ARROW * ARROW_LENGTH * size);
}

// The number of 1, 2 or 5 times a power of ten that is nearest to x.
function round125(x) {
  const power = 10 ** Math.floor(Math.log10(x)), off = k => Math.abs(Math.log(k * power / x));
  return power * [1, 2, 5, 10].reduce((best, k) => off(k) < off(best) ? k : best);
}
