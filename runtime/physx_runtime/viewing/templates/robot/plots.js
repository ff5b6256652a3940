// Plots: values under the pointer, a drag zooms in time, a click moves the robot there. Lines are in the data's units.
const AREA = { x: 42, y: 14, width: 280, height: 144, under: 172 };      // of the lines, in units of the image, as plot.py draws it
const NAMES = ["value", "target", "intended", "before"];        // in the order of the readout

class Plot {
  constructor(svg) {
    this.svg = svg;
    this.whole = svg.dataset.range.split(" ").map(Number);
    this.lines = [...svg.querySelectorAll("polyline")].map(line => ({ name: line.dataset.name, points: Array.from(line.points, p => [p.x, p.y]) }));
    this.bounds = [...svg.querySelectorAll(".bound")].map(bound => Number(bound.getAttribute("d").split(" ")[1].split("H")[0]));
    this.said = Object.assign(document.createElement("output"), { className: "note" });
    this.said.textContent = " ";
    svg.after(this.said);
    this.cursor = this.add("path", { class: "cursor" });
    this.chosen = () => {};
    this.show(this.whole);
    this.wire();
  }

  add(kind, attributes, parent = this.svg) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    parent.append(made);
    return made;
  }

  wire() {
    const { svg } = this;
    svg.addEventListener("pointerdown", event => {
      if (event.button) return;
      this.from = this.time(event);
      if (event.pointerType === "mouse") svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", event => this.point(this.time(event), event.buttons ? this.from : undefined));
    svg.addEventListener("pointerup", event => this.release(this.time(event)));
    svg.addEventListener("pointerleave", () => { this.point(); });
    svg.addEventListener("blur", () => { this.point(); });
    svg.addEventListener("dblclick", () => this.show(this.whole));
    svg.addEventListener("keydown", event => this.key(event));
  }

  release(time) {
    const [first, last] = this.range, from = this.from ?? time;
    this.from = undefined;
    if (Math.abs(time - from) > 0.03 * (last - first)) this.zoom(Math.min(time, from), Math.max(time, from));
    else this.chosen(time);
  }

  key(event) {
    const [first, last] = this.range, span = last - first, at = this.at ?? (first + last) / 2;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.point(at + (event.key === "ArrowLeft" ? -1 : 1) * span / 100);
    else if (event.key === "+" || event.key === "=") this.zoom(at - span / 4, at + span / 4);
    else if (event.key === "-") this.zoom(at - span, at + span);
    else if (event.key === "Escape") this.show(this.whole);
    else if (event.key === "Enter") this.chosen(at);
    else return;
    event.preventDefault();
  }

  // The time under the pointer.
  time(event) {
    const box = this.svg.getBoundingClientRect(), [first, last] = this.range;
    const x = (event.clientX - box.left) / box.width * this.svg.viewBox.baseVal.width;
    return first + Math.max(0, Math.min(1, (x - AREA.x) / AREA.width)) * (last - first);
  }

  // Show a range of time, with the values in it.
  zoom(first, last) {
    const [start, end] = this.whole, low = Math.max(start, first), high = Math.min(end, last);
    if (high - low < 1e-4 * (end - start)) return;
    if (low === start && high === end) { this.show(this.whole); return; }
    const values = this.lines.flatMap(({ points }) => [...points.filter(([t]) => t >= low && t <= high).map(p => p[1]), ...[low, high].map(t => valueAt(points, t))]).filter(Number.isFinite);
    const least = Math.min(...values), most = Math.max(...values), flat = 0.001 * Math.max(1e-6, Math.abs(least), Math.abs(most));
    const margin = most - least > 1e-6 * flat ? 0.06 * (most - least) : flat;
    this.show([low, high, least - margin, most + margin]);
  }

  show(range) {
    const [first, last, low, high] = this.range = range, sx = AREA.width / (last - first), sy = AREA.height / (high - low);
    this.svg.querySelector(".lines").setAttribute("transform", `matrix(${sx} 0 0 ${-sy} ${-first * sx} ${high * sy})`);
    const grid = this.svg.querySelector(".grid");
    if (range !== this.whole || this.zoomed) {
      grid.replaceChildren();
      for (const [t, text] of tickTexts(first, last)) this.line(grid, `M${AREA.x + (t - first) * sx} ${AREA.y}v${AREA.height}`, AREA.x + (t - first) * sx, AREA.under, "middle", text);
      for (const [x, text] of tickTexts(low, high)) this.line(grid, `M${AREA.x} ${AREA.y + (high - x) * sy}h${AREA.width}`, AREA.x - 4, AREA.y + (high - x) * sy + 3, "end", text);
    }
    this.zoomed = range !== this.whole;
    this.point(this.at);
  }

  line(grid, d, x, y, anchor, text) {
    this.add("path", { d }, grid);
    this.add("text", { x, y, "text-anchor": anchor }, grid).textContent = text;
  }

  // The cursor at a time, with the values there; from: where a drag began.
  point(at, from) {
    const [first, last] = this.range;
    this.at = at === undefined ? undefined : Math.max(first, Math.min(last, at));
    if (this.at === undefined) {
      this.cursor.setAttribute("d", "");
      this.said.textContent = this.zoomed ? "double-click or Escape: the whole time" : " ";
      return;
    }
    const x = t => AREA.x + (t - first) / (last - first) * AREA.width;
    this.cursor.setAttribute("d", `M${x(this.at)} ${AREA.y}v${AREA.height}` + (from === undefined ? "" : `H${x(from)}v${-AREA.height}z`));
    const named = new Map();
    for (const { name, points } of this.lines) {
      const value = valueAt(points, this.at);
      if (Number.isFinite(value)) named.set(name, value);
    }
    const words = NAMES.filter(name => named.has(name)).map(name => `${name === "value" ? "" : `${name} `}${short(named.get(name))}`);
    this.said.textContent = `${this.at.toFixed(3)} s: ${words.join(", ")} ${this.svg.dataset.unit}`;
  }
}

const short = x => String(Number(x.toPrecision(4))).replace("-", "\u2212");

// The value of a line at a time, NaN beyond its ends.
function valueAt(points, time) {
  let low = 0, high = points.length - 1;
  if (high < 0 || time < points[0][0] || time > points[high][0]) return NaN;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= time) low = middle; else high = middle;
  }
  const [a, b] = [points[low], points[high]], span = b[0] - a[0];
  return span ? a[1] + (b[1] - a[1]) * (time - a[0]) / span : a[1];
}

// Round values between two with their texts.
function tickTexts(low, high) {
  const step = round125((high - low) / 4), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push([i * step, (digits > 6 ? (i * step).toPrecision(3) : (i * step).toFixed(digits)).replace("-", "\u2212")]);
  return found;
}
