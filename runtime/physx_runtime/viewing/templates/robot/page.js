// Copy buttons, rows that show their prim, and the robot. The page is readable without scripts.
function copyButtons() {
  for (const button of document.querySelectorAll("button.copy")) {
    const label = button.textContent;
    button.hidden = false;
    button.onclick = async () => {
      await copy(button.dataset.text);
      button.focus();
      button.textContent = get("page-said").textContent = "copied";
      setTimeout(() => { button.textContent = label; get("page-said").textContent = ""; }, 1500);
    };
  }
}

// Pages of files have no clipboard of their own in some browsers; there a text area is copied.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

// A shortened name shows in full after a click, for screens without a pointer that hovers.
function longNames() {
  for (const name of document.querySelectorAll("code[title]"))
    name.onclick = () => { [name.textContent, name.title] = [name.title, name.textContent]; };
}

function showButtons(player) {
  for (const button of document.querySelectorAll("button.show")) {
    const { path } = button.dataset;
    if (!player.robot.places[path]) continue;
    button.hidden = false;
    const row = button.closest("[data-row]") || button, look = () => {
      player.look(path);
      get("view").scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
      get("view").focus({ preventScroll: true });
    };
    button.onclick = event => { event.stopPropagation(); look(); };
    if (row === button) continue;
    row.classList.add("leads");
    row.onclick = event => { if (!getSelection().toString() && !event.target.closest("button, a")) look(); };
  }
}

async function page() {
  copyButtons();
  longNames();
  const plots = [...document.querySelectorAll("svg.plot")].map(svg => new Plot(svg));
  if (!get("robot-data")) return;
  try {
    const robot = await unpack(get("robot-data").textContent);
    get("robot").classList.add("alive");
    const player = new Player(robot);
    showButtons(player);
    for (const plot of plots) plot.chosen = time => player.seek(time);
    await player.offerLive();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) player.play(true);
    document.documentElement.dataset.robot = "ready";
    window.player = player;         // for tests and debugging
  } catch (error) {
    get("robot").classList.remove("alive");
    get("robot-said").textContent = `This browser cannot show the moving robot (${error.name}: ${error.message}). The images below are static.`;
  }
}

page();
