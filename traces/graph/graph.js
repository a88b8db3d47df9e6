/* The graph: ranks side by side, time downwards. */
const ROW = 26, HEAD = 24, LEFT = 92, BOX = 16;
const graph = data, calls = graph.calls, nRows = layOut(graph);
const state = { isShown: () => true, comm: -1, sites: null, at: -1 };
let columns = [], columnOf = new Map(), columnWidth = 120, byPlace = new Map(), earliest = [];

const siteOf = (call) => graph.sites[call.site];
const isVisible = (call) => columnOf.has(call.rank) && (state.comm < 0 || call.communicator === state.comm);
const isBright = (call) => !state.sites || state.sites.has(call.site);

function words(call) {
  const given = call.arguments === null ? "made by a library: arguments unknown"
    : Object.entries(call.arguments).map(([name, value]) => `${name} ${value}`).join(", ");
  const until = call.end_s === null ? "not over" : `${time(call.begin_s)} to ${time(call.end_s)}, ${time(call.waiting_s)} of it waiting`;
  return `rank ${call.rank}: ${siteOf(call).call}(${given}) at ${siteOf(call).place}, ${until}`;
}

function arrange() {
  columns = [];
  for (let rank = 0; rank < graph.ranks; rank++) if (state.isShown(rank)) columns.push(rank);
  columnOf = new Map(columns.map((rank, i) => [rank, i]));
  byPlace = new Map();
  for (const call of calls) if (isVisible(call)) byPlace.set(call.row * columns.length + columnOf.get(call.rank), call);
}
for (const call of calls) if (earliest[call.row] === undefined || call.begin_s < earliest[call.row]) earliest[call.row] = call.begin_s;

const board = el("div", { className: "board" }), room = el("div");
const canvas = el("canvas", { tabIndex: 0, role: "img", "aria-describedby": "status",
  "aria-label": "Graph of the calls. Arrow keys move from call to call." });
const status = el("p", { className: "status", id: "status", "aria-live": "polite" });
const xOf = (call) => LEFT + (columnOf.get(call.rank) + 0.5) * columnWidth - board.scrollLeft;
const yOf = (call) => HEAD + (call.row + 0.5) * ROW - board.scrollTop;

function drawEdge(context, from, to, name, strong) {
  if (!isVisible(from) || !isVisible(to)) return;
  const [x1, y1, x2, y2] = [xOf(from), yOf(from), xOf(to), yOf(to)];
  if (Math.max(y1, y2) < 0 || Math.min(y1, y2) > canvas.clientHeight) return;
  context.strokeStyle = context.fillStyle = colour(name);
  context.globalAlpha = state.at < 0 || strong ? (isBright(from) || isBright(to) ? 1 : 0.25) : 0.35;
  context.lineWidth = strong ? 2.5 : 1.2;
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
  const length = Math.hypot(x2 - x1, y2 - y1) || 1, [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [tipX, tipY] = [x2 - dx * BOX / 2, y2 - dy * BOX / 2];
  context.beginPath();
  context.moveTo(tipX, tipY);
  context.lineTo(tipX - 7 * dx - 3.5 * dy, tipY - 7 * dy + 3.5 * dx);
  context.lineTo(tipX - 7 * dx + 3.5 * dy, tipY - 7 * dy - 3.5 * dx);
  context.fill();
  context.globalAlpha = 1;
}
function drawEdges(context) {
  for (const call of calls)
    if (call.before >= 0) drawEdge(context, calls[call.before], call, "computing", false);
  for (const [from, to] of graph.requests)
    if (from === state.at || to === state.at) drawEdge(context, calls[from], calls[to], "mark", true);
  for (const message of graph.messages)
    drawEdge(context, calls[message.send], calls[message.done], "bad",
      [message.send, message.receive, message.done].includes(state.at));
}
/* A collective as one box over its ranks. */
function drawCollectives(context) {
  for (const group of graph.collectives) {
    const shown = group.calls.map((i) => calls[i]).filter(isVisible);
    if (!shown.length) continue;
    const y = yOf(shown[0]), x = shown.map(xOf);
    if (y < 0 || y > canvas.clientHeight) continue;
    context.globalAlpha = shown.some(isBright) ? 1 : 0.25;
    context.fillStyle = colour("panel");
    context.strokeStyle = colour(group.calls.includes(state.at) ? "mark" : "soft");
    context.lineWidth = group.calls.includes(state.at) ? 2.5 : 1;
    context.beginPath();
    context.rect(Math.min(...x) - columnWidth / 2 + 4, y - BOX / 2 - 2, Math.max(...x) - Math.min(...x) + columnWidth - 8, BOX + 4);
    context.fill();
    context.stroke();
  }
  context.globalAlpha = 1;
}
function drawCalls(context) {
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const call of byPlace.values()) {
    const x = xOf(call), y = yOf(call), text = siteOf(call).call.replace("MPI_", "");
    if (y < HEAD - ROW || y > canvas.clientHeight + ROW || x < LEFT - columnWidth || x > canvas.clientWidth + columnWidth) continue;
    const wide = Math.min(columnWidth - 12, context.measureText(text).width + 10);
    context.globalAlpha = isBright(call) ? 1 : 0.25;
    context.fillStyle = colour("panel");
    context.fillRect(x - wide / 2, y - BOX / 2, wide, BOX);
    context.strokeStyle = colour(call.index === state.at ? "mark" : state.sites && isBright(call) ? "good" : "line");
    context.lineWidth = call.index === state.at || (state.sites && isBright(call)) ? 2 : 1;
    context.strokeRect(x - wide / 2, y - BOX / 2, wide, BOX);
    context.fillStyle = colour("ink");
    context.fillText(text, x, y, wide);
  }
  context.globalAlpha = 1;
}
function drawAxes(context, width, height) {
  context.fillStyle = colour("paper");
  context.fillRect(0, 0, width, HEAD);
  context.fillRect(0, 0, LEFT, height);
  context.fillStyle = colour("soft");
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  columns.forEach((rank, i) => {
    const x = LEFT + (i + 0.5) * columnWidth - board.scrollLeft;
    if (x > LEFT) context.fillText(`rank ${rank}`, x, HEAD / 2);
  });
  context.textAlign = "right";
  for (let row = Math.max(0, Math.floor(board.scrollTop / ROW)); row < nRows; row++) {
    const y = HEAD + (row + 0.5) * ROW - board.scrollTop;
    if (y > height) break;
    if (y > HEAD) context.fillText(time(earliest[row]), LEFT - 8, y);
  }
}
const redraw = sharp(canvas, () => board.clientHeight, (context, width, height) => {
  columnWidth = Math.max(84, Math.min(200, (width - LEFT) / Math.max(1, columns.length)));
  room.style.height = HEAD + nRows * ROW + "px";
  room.style.width = LEFT + columns.length * columnWidth + "px";
  drawEdges(context);
  drawCollectives(context);
  drawCalls(context);
  drawAxes(context, width, height);
});

function choose(call) {
  state.at = call ? call.index : -1;
  status.textContent = call ? words(call) : summary();
  redraw();
}
function summary() {
  return `${count(calls.length)} calls, ${count(graph.messages.length)} messages, ${count(graph.collectives.length)} collectives` +
    (graph.calls_left_out ? `; ${count(graph.calls_left_out)} later calls are left out` : "") + ". Point at a call to see its arguments.";
}
function callAt(event) {
  const box = canvas.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - LEFT + board.scrollLeft) / columnWidth);
  const row = Math.floor((event.clientY - box.top - HEAD + board.scrollTop) / ROW);
  return column < 0 || column >= columns.length ? undefined : byPlace.get(row * columns.length + column);
}
canvas.addEventListener("pointermove", (event) => {
  const call = callAt(event);
  if ((call ? call.index : -1) !== state.at) choose(call);
});
board.addEventListener("scroll", redraw);
/* The next call that is shown, on the same rank or in the same row. */
function step_to(key) {
  const shown = [...byPlace.values()], at = calls[state.at];
  if (!at) return shown[0];
  const of = { ArrowDown: (c) => c.rank === at.rank && c.row > at.row, ArrowUp: (c) => c.rank === at.rank && c.row < at.row,
    ArrowRight: (c) => c.row === at.row && c.rank > at.rank, ArrowLeft: (c) => c.row === at.row && c.rank < at.rank }[key];
  const far = (c) => Math.abs(c.row - at.row) * graph.ranks + Math.abs(c.rank - at.rank);
  return shown.filter(of).sort((a, b) => far(a) - far(b))[0] || at;
}
canvas.addEventListener("keydown", (event) => {
  if (!event.key.startsWith("Arrow") || !byPlace.size) return;
  event.preventDefault();
  choose(step_to(event.key));
  board.scrollTop = Math.max(0, calls[state.at].row * ROW - board.clientHeight / 2);
});

const ranks = el("input", { type: "search", id: "ranks", placeholder: "all, or 0-3,7", oninput: () => {
  const test = rankTest(ranks.value);
  ranks.setAttribute("aria-invalid", test ? "false" : "true");
  if (!test) return;
  state.isShown = test;
  arrange();
  redraw();
} });
const comms = el("select", { "aria-label": "communicator", id: "communicator", onchange: () => {
  state.comm = Number(comms.value);
  arrange();
  redraw();
} }, el("option", { value: -1 }, "all communicators"), ...graph.communicators.map((c, i) => el("option", { value: i }, `${c.name} (${c.ranks})`)));

/* File, function, line: each a button that highlights its calls. */
function siteTree() {
  const tree = new Map(), counts = new Map();
  for (const call of calls) counts.set(call.site, (counts.get(call.site) || 0) + 1);
  graph.sites.forEach((site, i) => {
    if (!tree.has(site.file)) tree.set(site.file, new Map());
    const functions = tree.get(site.file), name = site.function || "?";
    if (!functions.has(name)) functions.set(name, new Map());
    const place = `${site.line || "?"}: ${site.call}`, lines = functions.get(name);
    if (!lines.has(place)) lines.set(place, []);
    lines.get(place).push(i);
  });
  const sum = (list) => list.reduce((total, i) => total + (counts.get(i) || 0), 0);
  const buttons = [], all = (lines) => [...lines.values()].flat();
  const button = (text, list) => {
    const one = el("button", { type: "button", "aria-pressed": "false", onclick: () => {
      const isOn = one.getAttribute("aria-pressed") === "true";
      for (const other of buttons) other.setAttribute("aria-pressed", "false");
      one.setAttribute("aria-pressed", String(!isOn));
      state.sites = isOn ? null : new Set(list);
      redraw();
    } }, `${text} (${count(sum(list))})`);
    buttons.push(one);
    return one;
  };
  return el("ul", {}, ...[...tree].map(([file, functions]) => el("li", {}, button(file, [...functions.values()].flatMap(all)),
    el("ul", {}, ...[...functions].map(([name, lines]) => el("li", {}, button(name, all(lines)),
      el("ul", {}, ...[...lines].sort((a, b) => parseInt(a[0]) - parseInt(b[0])).map(([place, list]) => el("li", {}, button(place, list))))))))));
}

document.getElementById("command").textContent = graph.command.join(" ");
document.title = "mpisim graph: " + graph.command[0];
arrange();
board.append(canvas, room);
document.getElementById("graph").append(
  el("div", { className: "tools" }, el("label", { for: "ranks" }, "ranks "), ranks, comms), board, status,
  legend([["computing", "order of the program"], ["bad", "a message, to the call that completed its receive"], ["mark", "what belongs to the call under the pointer; a request"]]));
document.getElementById("sites").append(siteTree());
status.textContent = summary();
redraw();
