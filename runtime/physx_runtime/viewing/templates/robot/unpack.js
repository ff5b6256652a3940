// Unpack the robot: JSON with `part(name, type)`, which returns its arrays.
async function unpack(text) {
  const packed = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const all = await new Response(stream).arrayBuffer(), size = new DataView(all).getUint32(0, true);
  const robot = JSON.parse(new TextDecoder().decode(new Uint8Array(all, 4, size)));
  robot.part = (name, type) => {
    const [at, length] = robot.parts[name] || [0, 0];
    return new type(all, 4 + size + at, length / type.BYTES_PER_ELEMENT);
  };
  return robot;
}
