// One slider for each number that the step reads, grouped by parameter.
function sliderGroups(robot, live, touched) {
  const groups = new Map(), shows = [];
  for (const slider of robot.live.sliders) {
    if (!groups.has(slider.parameter)) groups.set(slider.parameter, []);
    groups.get(slider.parameter).push(slider);
  }
  const made = [...groups].map(([name, sliders], i) => {
    const box = document.createElement("details"), title = document.createElement("summary");
    box.open = i === 0;
    title.textContent = `${name.replaceAll("_", " ")} (${sliders.length})`;
    box.append(title, ...sliders.map(slider => sliderRow(slider, live, touched, shows)));
    return box;
  });
  return { made, refresh: () => shows.forEach(show => show()) };
}

function sliderRow(slider, live, touched, shows) {
  const row = document.createElement("label"), name = document.createElement("span"), input = document.createElement("input"), said = document.createElement("output");
  row.className = "slider";
  name.textContent = slider.element.split("/").slice(-1)[0] || slider.element;
  name.title = slider.element;
  Object.assign(input, { type: "range", min: 0, max: 1000, step: 1 });
  input.dataset.parameter = slider.parameter;
  input.dataset.element = slider.element;
  const show = () => {
    const value = live.value(slider);
    input.value = Math.round(1000 * (value - slider.low) / (slider.high - slider.low));
    said.textContent = `${(slider.factor * value).toPrecision(4)} ${slider.unit}`;
  };
  input.addEventListener("input", () => {
    const value = slider.low + (slider.high - slider.low) * input.value / 1000;
    live.set(slider, value);
    said.textContent = `${(slider.factor * value).toPrecision(4)} ${slider.unit}`;
    touched();
  });
  shows.push(show);
  show();
  row.append(name, input, said);
  return row;
}
