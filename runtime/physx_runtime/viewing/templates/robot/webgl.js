// Paint with WebGL 2; null if it is not available.
function glPainter(canvas, robot, size) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: true });
  if (!gl) return null;
  const sources = [[gl.VERTEX_SHADER, `#version 300 es
    uniform vec3 p, s, eye; uniform vec4 r; uniform mat3 basis; uniform vec2 lens, depth; in vec3 x; out vec3 world;
    void main() { vec3 y = x * s; world = p + y + 2.0 * cross(r.xyz, cross(r.xyz, y) + r.w * y);
      vec3 c = (world - eye) * basis; gl_Position = vec4(c.xy * lens, depth.x * c.z + depth.y, -c.z); }`],
  [gl.FRAGMENT_SHADER, `#version 300 es
    precision highp float; uniform vec4 colour; uniform vec3 eye; in vec3 world; out vec4 o;
    void main() { vec3 n = normalize(cross(dFdx(world), dFdy(world))), v = normalize(eye - world);
      float light = 0.42 + 0.4 * abs(dot(n, v)) + 0.18 * abs(dot(n, normalize(vec3(0.4, 0.3, 0.9))));
      o = vec4(colour.rgb * light * colour.a, colour.a); }`]];
  const program = gl.createProgram();
  for (const [kind, text] of sources) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "x"); gl.linkProgram(program); gl.useProgram(program);
  const u = {};
  for (const name of ["p", "s", "eye", "r", "basis", "lens", "depth", "colour"]) u[name] = gl.getUniformLocation(program, name);
  const points = robot.part("points", Float32Array), faces = robot.part("faces", Uint32Array), rod = [], rim = [];
  for (let i = 0; i < 8; i++) for (const z of [0, 1]) rod.push(Math.cos(i * Math.PI / 4), Math.sin(i * Math.PI / 4), z);
  for (let i = 0; i < 8; i++) {
    const k = points.length / 3, a = k + 2 * i, b = k + 2 * ((i + 1) % 8);
    rim.push(a, b, b + 1, a, b + 1, a + 1);
  }
  const fill = (kind, type, first, second) => {
    const all = new type(first.length + second.length);
    all.set(first); all.set(second, first.length);
    gl.bindBuffer(kind, gl.createBuffer()); gl.bufferData(kind, all, gl.STATIC_DRAW);
  };
  fill(gl.ARRAY_BUFFER, Float32Array, points, rod); fill(gl.ELEMENT_ARRAY_BUFFER, Uint32Array, faces, rim);
  gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

  const draw = (from, count, p, r, s, colour) => {
    gl.uniform3fv(u.p, p); gl.uniform4fv(u.r, r); gl.uniform3fv(u.s, s); gl.uniform4fv(u.colour, colour);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * from);
  };
  return {
    begin({ width, height, basis, eye }) {
      const near = 0.01 * size, far = 60 * size;
      gl.viewport(0, 0, width, height); gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      gl.uniformMatrix3fv(u.basis, false, basis.flat()); gl.uniform3fv(u.eye, eye);
      const long = Math.min(width, height);
      gl.uniform2f(u.lens, 2 * long / width, 2 * long / height);
      gl.uniform2f(u.depth, (near + far) / (near - far), 2 * near * far / (near - far));
    },
    shape({ from, count }, position, rotation, colour, alpha) {
      if (alpha < 1) { gl.enable(gl.BLEND); gl.depthMask(false); }
      draw(from, count, position, rotation, [1, 1, 1], [...colour, alpha]);
      if (alpha < 1) { gl.disable(gl.BLEND); gl.depthMask(true); }
    },
    rod(a, b, radius, colour) {
      const d = add(b, a, -1), length = Math.hypot(...d) || 1e-9, w = 1 + d[2] / length;
      const r = w < 1e-6 ? [1, 0, 0, 0] : [-d[1] / length, d[0] / length, 0, w], n = Math.hypot(...r);
      draw(faces.length, rim.length, a, r.map(x => x / n), [radius, radius, length], [...colour, 1]);
    },
    end() {},
  };
}
