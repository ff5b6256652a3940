// Paint with WebGL 2; null if it is not available.
const PLACED = `#version 300 es
  uniform vec3 p, s, eye; uniform vec4 r; uniform mat3 basis; uniform vec2 lens, depth; in vec3 x; out vec3 world;
  void main() { vec3 y = x * s; world = p + y + 2.0 * cross(r.xyz, cross(r.xyz, y) + r.w * y);
    vec3 c = (world - eye) * basis; gl_Position = vec4(c.xy * lens, depth.x * c.z + depth.y, -c.z); }`;
const LIT = `#version 300 es
  precision highp float; uniform vec4 colour; uniform vec3 eye; in vec3 world; out vec4 o;
  void main() { vec3 n = normalize(cross(dFdx(world), dFdy(world))), v = normalize(eye - world);
    float light = 0.42 + 0.4 * abs(dot(n, v)) + 0.18 * abs(dot(n, normalize(vec3(0.4, 0.3, 0.9))));
    o = vec4(colour.rgb * light * colour.a, colour.a); }`;
// A plane of squares that fades with the distance from its middle; every tenth line is strong.
const SQUARES = `#version 300 es
  precision highp float; uniform vec4 colour, fill; uniform vec3 p, first, second; uniform float step, extent; in vec3 world; out vec4 o;
  float lines(vec2 a, float width) { vec2 d = abs(fract(a - 0.5) - 0.5) / fwidth(a); return clamp(width - min(d.x, d.y), 0.0, 1.0); }
  void main() { vec2 a = vec2(dot(world, first), dot(world, second)) / step;
    float fade = 1.0 - smoothstep(0.35, 1.0, length(world - p) / extent), fine = 1.0 - smoothstep(0.15, 0.4, max(fwidth(a).x, fwidth(a).y));
    float line = max(0.55 * fine * lines(a, 1.1), lines(a / 10.0, 1.4)) * fade * colour.a, ground = fill.a * fade;
    o = vec4(mix(fill.rgb * ground, colour.rgb, line), mix(ground, 1.0, line)); }`;

function glProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "x"); gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const places = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(program, i);
    places[name] = gl.getUniformLocation(program, name);
  }
  return { program, places };
}

// Bodies of one unit: a rod and a cone along z, a ball, and a square across z. Corners, and per body its triangles.
function unitBodies(start) {
  const points = [], faces = [], ranges = {}, ROUND = 16, RINGS = 8;
  const body = (name, make) => { const from = faces.length; make(start + points.length / 3); ranges[name] = [from, faces.length - from]; };
  const circle = (i, n) => [Math.cos(2 * Math.PI * i / n), Math.sin(2 * Math.PI * i / n)];
  body("rod", k => {
    for (let i = 0; i < 8; i++) for (const z of [0, 1]) points.push(...circle(i, 8), z);
    for (let i = 0; i < 8; i++) { const a = k + 2 * i, b = k + 2 * ((i + 1) % 8); faces.push(a, b, b + 1, a, b + 1, a + 1); }
  });
  body("cone", k => {
    points.push(0, 0, 1, 0, 0, 0);
    for (let i = 0; i < ROUND; i++) points.push(...circle(i, ROUND), 0);
    for (let i = 0; i < ROUND; i++) { const a = k + 2 + i, b = k + 2 + (i + 1) % ROUND; faces.push(k, a, b, k + 1, b, a); }
  });
  body("ball", k => {
    for (let j = 0; j <= RINGS; j++) for (let i = 0; i < ROUND; i++) {
      const [z, r] = circle(j, 2 * RINGS), [x, y] = circle(i, ROUND);
      points.push(r * x, r * y, z);
    }
    for (let j = 0; j < RINGS; j++) for (let i = 0; i < ROUND; i++) {
      const a = k + j * ROUND + i, b = k + j * ROUND + (i + 1) % ROUND;
      faces.push(a, b, b + ROUND, a, b + ROUND, a + ROUND);
    }
  });
  body("square", k => { points.push(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0); faces.push(k, k + 1, k + 2, k, k + 2, k + 3); });
  return { points, faces, ranges };
}

// The rotation that turns z to a direction.
function alongZ(d) {
  const length = Math.hypot(...d) || 1e-9, w = 1 + d[2] / length;
  const r = w < 1e-6 ? [1, 0, 0, 0] : [-d[1] / length, d[0] / length, 0, w], n = Math.hypot(...r);
  return { length, rotation: r.map(x => x / n) };
}

function glPainter(canvas, robot, size) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const lit = glProgram(gl, PLACED, LIT), grid = glProgram(gl, PLACED, SQUARES);
  const points = robot.part("points", Float32Array), faces = robot.part("faces", Uint32Array), unit = unitBodies(points.length / 3);
  const fill = (kind, type, first, second) => {
    const all = new type(first.length + second.length);
    all.set(first); all.set(second, first.length);
    gl.bindBuffer(kind, gl.createBuffer()); gl.bufferData(kind, all, gl.STATIC_DRAW);
  };
  fill(gl.ARRAY_BUFFER, Float32Array, points, unit.points); fill(gl.ELEMENT_ARRAY_BUFFER, Uint32Array, faces, unit.faces);
  gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.polygonOffset(1, 300);      // translucent bodies lie behind solid ones in the same place

  let u, view;
  const use = ({ program, places }) => {
    gl.useProgram(program);
    u = places;
    const { width, height, focal, basis, eye } = view, near = 0.01 * size, far = 60 * size;
    gl.uniformMatrix3fv(u.basis, false, basis.flat()); gl.uniform3fv(u.eye, eye);
    gl.uniform2f(u.lens, 2 * focal / width, 2 * focal / height);
    gl.uniform2f(u.depth, (near + far) / (near - far), 2 * near * far / (near - far));
  };
  const draw = (from, count, p, r, s, colour, alpha) => {
    if (alpha < 1) { gl.enable(gl.BLEND); gl.depthMask(false); gl.enable(gl.POLYGON_OFFSET_FILL); }
    gl.uniform3fv(u.p, p); gl.uniform4fv(u.r, r); gl.uniform3fv(u.s, s); gl.uniform4fv(u.colour, [...colour, alpha]);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * from);
    if (alpha < 1) { gl.disable(gl.BLEND); gl.depthMask(true); gl.disable(gl.POLYGON_OFFSET_FILL); }
  };
  const unitBody = (name, ...rest) => draw(faces.length + unit.ranges[name][0], unit.ranges[name][1], ...rest);
  const along = (name, a, b, radius, colour) => {
    const { length, rotation } = alongZ(add(b, a, -1));
    unitBody(name, a, rotation, [radius, radius, length], colour, 1);
  };
  return {
    begin(given) {
      view = given;
      gl.viewport(0, 0, view.width, view.height); gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      use(lit);
    },
    shape({ from, count }, position, rotation, colour, alpha) { draw(from, count, position, rotation, [1, 1, 1], colour, alpha); },
    rod(a, b, radius, colour) { along("rod", a, b, radius, colour); },
    cone(a, b, radius, colour) { along("cone", a, b, radius, colour); },
    ball(position, rotation, radii, colour, alpha) { unitBody("ball", position, rotation, radii, colour, alpha); },
    floor({ middle, axes: [first, second, up], step, extent, colour, ground }) {
      use(grid);
      gl.uniform3fv(u.first, first); gl.uniform3fv(u.second, second); gl.uniform1f(u.step, step); gl.uniform1f(u.extent, extent);
      gl.uniform4fv(u.fill, ground || [0, 0, 0, 0]);
      unitBody("square", middle, alongZ(up).rotation, [extent, extent, 1], colour, 0.9);
      use(lit);
    },
    over(on) { gl.depthFunc(on ? gl.ALWAYS : gl.LESS); },       // what follows hides everything before it
    end() {},
  };
}
