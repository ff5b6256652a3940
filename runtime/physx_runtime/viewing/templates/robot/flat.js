// Fallback without WebGL: triangles and lines from far to near on a 2D canvas.
function flatPainter(canvas, robot, size) {
  const points = robot.part("points", Float32Array), faces = robot.part("faces", Uint32Array), pen = canvas.getContext("2d");
  let view, items, front = 0;
  const seen = x => {
    const d = add(x, view.eye, -1), [right, up, back] = view.basis.map(e => dot(e, d));
    return [view.width / 2 - right / back * view.focal, view.height / 2 + up / back * view.focal, back];
  };
  const ink = (colour, k, alpha) => `rgba(${colour.map(x => 255 * Math.min(1, x * k) | 0)},${alpha})`;
  return {
    begin(given) { view = given; items = []; },
    shape({ from, count }, position, rotation, colour, alpha) {
      const pose = [...position, ...rotation];
      for (let i = from; i < from + count; i += 3) {
        const corners = [0, 1, 2].map(k => placed(pose, [0, Array.from(points.subarray(3 * faces[i + k], 3 * faces[i + k] + 3))]));
        const n = cross(add(corners[1], corners[0], -1), add(corners[2], corners[0], -1)), v = add(view.eye, corners[0], -1);
        const lit = Math.abs(dot(n, v)) / ((Math.hypot(...n) || 1) * Math.hypot(...v)), at = corners.map(seen);
        if (at.some(x => x[2] > -0.01 * size)) continue;
        items.push([at[0][2] + at[1][2] + at[2][2] - (alpha < 1 ? 0.1 * size : 0), ink(colour, 0.45 + 0.55 * lit, alpha), at, 0]);
      }
    },
    rod(a, b, radius, colour) {
      const at = [seen(a), seen(b)];
      if (at.some(x => x[2] > -0.01 * size)) return;
      items.push([1.5 * (at[0][2] + at[1][2]) + 0.1 * size + front, ink(colour, 1, 1), at, Math.max(1, -2 * radius * view.focal / at[0][2])]);
    },
    over(on) { front = on ? 1e9 : 0; },
    cone(a, b, radius, colour) { this.rod(a, b, radius, colour); },
    ball(position, rotation, radii, colour, alpha) {
      const [x, y, z] = seen(position), radius = -Math.cbrt(radii[0] * radii[1] * radii[2]) * view.focal / z;
      if (z > -0.01 * size) return;
      const around = Array.from({ length: 20 }, (_, i) => [x + radius * Math.cos(i * Math.PI / 10), y + radius * Math.sin(i * Math.PI / 10), z]);
      items.push([3 * z, ink(colour, 1, alpha), around, 0]);
    },
    floor({ middle, axes: [first, second], step, extent, colour }) {
      const count = Math.floor(extent / step / 2), place = [first, second].map(axis => Math.round(dot(middle, axis) / step) * step);
      const at = (a, b) => add(add(add(middle, first, a - dot(middle, first)), second, b - dot(middle, second)), [0, 0, 0]);
      for (let i = -count; i <= count; i++)
        for (let j = -count; j < count; j++)
          for (const [a, b] of [[[i, j], [i, j + 1]], [[j, i], [j + 1, i]]]) {
            const ends = [a, b].map(([k, l]) => seen(at(place[0] + k * step, place[1] + l * step)));
            if (ends.every(x => x[2] < -0.01 * size)) items.push([-1e9, ink(colour, 1, 0.6), ends, 1]);
          }
    },
    end() {
      pen.clearRect(0, 0, view.width, view.height);
      for (const [, colour, at, wide] of items.sort((a, b) => a[0] - b[0])) {
        pen.beginPath(); at.forEach(([x, y]) => pen.lineTo(x, y));
        pen.fillStyle = pen.strokeStyle = colour; pen.lineWidth = wide || 0.7;
        if (!wide) { pen.closePath(); pen.fill(); }
        pen.stroke();
      }
    },
  };
}
