// Vectors are arrays of three numbers. A pose has seven: position, then quaternion x y z w.
const add = (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const mixed = (a, b, k) => a.map((x, i) => x + k * (b[i] - x));

// A direction of a body in the world.
function turned(poses, body, x) {
  const o = 7 * body, u = [poses[o + 3], poses[o + 4], poses[o + 5]], w = poses[o + 6];
  return add(x, cross(u, add(cross(u, x), x, w)), 2);
}

// A point of a body in the world.
const placed = (poses, [body, x]) => add(turned(poses, body, x), [poses[7 * body], poses[7 * body + 1], poses[7 * body + 2]]);

// a turned by an angle about a unit vector.
function about(axis, a, angle) {
  const c = Math.cos(angle), s = Math.sin(angle), k = dot(axis, a) * (1 - c);
  return add(add(a.map(x => c * x), cross(axis, a), s), axis, k);
}

// Position and rotation of a body; the world's for body -1.
const poseOf = (poses, body) => body < 0 ? [[0, 0, 0], [0, 0, 0, 1]] :
  [Array.from(poses.subarray(7 * body, 7 * body + 3)), Array.from(poses.subarray(7 * body + 3, 7 * body + 7))];

// The rotation b, then a; quaternions x y z w.
const product = (a, b) => [...add(add(cross(a, b), a, b[3]), b, a[3]), a[3] * b[3] - dot(a, b)];
