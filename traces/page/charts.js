/* Curves and the communication matrix. */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/* Draws a picture for the width it has: text stays as large as it is. */
function fitted(plot, height, draw) {
  const again = (width) => {
    plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    plot.replaceChildren();
    draw(width, height);
  };
  again(960);
  new ResizeObserver(([entry]) => { if (entry.contentRect.width > 60) again(Math.round(entry.contentRect.width)); }).observe(plot);
}

/* Lines of fractions over time: curves [{name, colour, points: [[begin_s, end_s, fraction]]}]. */
function curves(curves, end_s, label) {
  const plot = svg("svg", { role: "img", "aria-label": label });
  fitted(plot, 260, (width, H) => {
    const L = 46, R = width - 8, B = 28, T = 8;
    const x = (t) => L + t / end_s * (R - L), y = (f) => T + (1 - f) * (H - T - B);
    for (let f = 0; f <= 1.001; f += 0.25) {
      plot.append(svg("line", { x1: L, x2: R, y1: y(f), y2: y(f), stroke: "var(--line)" }));
      plot.append(svg("text", { x: L - 6, y: y(f) + 4, "text-anchor": "end" }, Math.round(100 * f) + " %"));
    }
    const marks = step(end_s, Math.min(8, Math.max(2, Math.floor(width / 70))));
    for (let t = 0; t <= end_s * 1.0001; t += marks)
      plot.append(svg("text", { x: x(t), y: H - 8, "text-anchor": t === 0 ? "start" : x(t) > R - 32 ? "end" : "middle" }, time(t)));
    for (const curve of curves) {
      const path = curve.points.filter(([, , f]) => f !== null)
        .map(([b, e, f], i, known) => `${i && known[i - 1][1] === b ? "L" : "M"}${x(b).toFixed(1)} ${y(Math.min(1, f)).toFixed(1)}L${x(e).toFixed(1)} ${y(Math.min(1, f)).toFixed(1)}`).join("");
      plot.append(svg("path", { d: path, fill: "none", stroke: `var(--${curve.colour})`, "stroke-width": 2 }));
    }
  });
  return el("div", {}, plot, legend(curves.map((curve) => [curve.colour, curve.name])));
}

/* The running time over the network's bandwidth, where doubling it is one step; the knee, and what the run had. */
function bandwidthCurve({ points, own_Bps, knee_Bps }) {
  const words = knee_Bps ? `above ${bytes(knee_Bps)}/s more of it saves less than 5 %` : `above ${bytes(points[0].bandwidth_Bps)}/s more of it saves less than 5 %`;
  const plot = svg("svg", { role: "img", "aria-label": `Running time over the bandwidth of the network: ${words}` });
  const first = Math.log2(points[0].bandwidth_Bps), last = Math.log2(points[points.length - 1].bandwidth_Bps), most = Math.max(...points.map((p) => p.predicted_time_s));
  fitted(plot, 240, (width, H) => {
    const L = 64, R = width - 40, B = 28, T = 14, x = (Bps) => L + (Math.log2(Bps) - first) / (last - first) * (R - L), y = (s) => T + (1 - s / (1.05 * most)) * (H - T - B);
    for (let s = 0, marks = step(most, 4); s <= 1.05 * most; s += marks)
      plot.append(svg("line", { x1: L, x2: R, y1: y(s), y2: y(s), stroke: "var(--line)" }), svg("text", { x: L - 6, y: y(s) + 4, "text-anchor": "end" }, time(s)));
    for (const p of points) plot.append(svg("text", { x: x(p.bandwidth_Bps), y: H - 8, "text-anchor": "middle" }, width > 560 || points.indexOf(p) % 2 ? bytes(p.bandwidth_Bps) + "/s" : ""));
    if (knee_Bps) plot.append(svg("line", { x1: x(knee_Bps), x2: x(knee_Bps), y1: T, y2: H - B, stroke: "var(--mark)", "stroke-width": 2, "stroke-dasharray": "4 4" }));
    plot.append(svg("path", { d: points.map((p, i) => `${i ? "L" : "M"}${x(p.bandwidth_Bps).toFixed(1)} ${y(p.predicted_time_s).toFixed(1)}`).join(""), fill: "none", stroke: "var(--computing)", "stroke-width": 2 }));
    for (const p of points) plot.append(svg("circle", { cx: x(p.bandwidth_Bps), cy: y(p.predicted_time_s), r: p.bandwidth_Bps === own_Bps ? 6 : 3, fill: `var(--${p.bandwidth_Bps === own_Bps ? "bad" : "computing"})` },
      svg("title", {}, `${bytes(p.bandwidth_Bps)}/s: ${time(p.predicted_time_s)}`)));
  });
  return el("div", {}, el("h3", {}, "Bandwidth of the network"), plot, legend([["bad", `this cluster: ${bytes(own_Bps)}/s`], ["computing", "predicted with another bandwidth, between nodes and within them"], ["mark", words]]),
    note("By replay of this run: what it chose by the order of arrival stays chosen."));
}

/* Who sent how much to whom: cells [[source row, destination row, messages, bytes]]. */
function matrix(source, timeline) {
  const canvas = el("canvas", { tabIndex: 0, role: "img", "aria-label": "Communication matrix: senders downwards, receivers to the right. Arrow keys go from cell to cell" +
    (timeline ? ", with Shift they mark a box, Enter shows its ranks in the timeline, Escape all." : ".") });
  const status = el("p", { className: "status screen", "aria-live": "polite" }, "Point at a cell, or use the arrow keys.");
  const what = el("select", { "aria-label": "what the colour shows" }, el("option", { value: 3 }, "bytes"), el("option", { value: 2 }, "messages"));
  const n = source.rows, LEFT = 24 + 8 * String((source.rows - 1) * source.ranks_per_row).length, TOP = 22, cells = new Map(source.cells.map((cell) => [cell[0] * n + cell[1], cell]));
  const title = (row) => source.ranks_per_row === 1 ? "rank " + row : `ranks ${span(row, row)}`;
  const side = (width) => Math.min(width - LEFT, 460) / n;
  const picture = el("canvas", { width: n, height: n });
  let painted = "";
  /* A pixel for each cell. */
  function paint(column) {
    const image = new ImageData(n, n), paper = channels("panel"), ink = channels("computing"), most = source.cells.reduce((sum, cell) => Math.max(sum, cell[column]), 1);
    for (let at = 0; at < 4 * n * n; at++) image.data[at] = at % 4 === 3 ? 255 : paper[at % 4];
    for (const cell of source.cells) {
      const share = cell[column] > 0 ? 0.12 + 0.88 * Math.log1p(cell[column]) / Math.log1p(most) : 0, at = 4 * (cell[0] * n + cell[1]);
      for (let k = 0; k < 3; k++) image.data[at + k] = paper[k] + share * (ink[k] - paper[k]);
    }
    picture.getContext("2d").putImageData(image, 0, 0);
  }
  let brushed = null; /* from row, from column, to row, to column */
  const redraw = sharp(canvas, () => TOP + side(canvas.clientWidth || 800) * n + 2, (context, width) => {
    const size = side(width), key = [what.value, colour("panel"), colour("computing")].join();
    if (painted !== key) paint(Number(what.value));
    painted = key;
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, LEFT, TOP, size * n, size * n);
    context.fillStyle = colour("paper");
    for (let i = 1; i < n && size > 6; i++) {
      context.fillRect(LEFT + i * size - 1, TOP, 1, size * n);
      context.fillRect(LEFT, TOP + i * size - 1, size * n, 1);
    }
    if (brushed) {
      const [top, left, bottom, right] = boxOf(brushed);
      context.strokeStyle = colour("mark");
      context.lineWidth = 2;
      context.strokeRect(LEFT + left * size, TOP + top * size, (right - left + 1) * size, (bottom - top + 1) * size);
    }
    context.fillStyle = colour("soft");
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const every = Math.ceil((LEFT - 16) / size);
    for (let i = 0; i < n; i += every) {
      context.textAlign = "right";
      context.fillText(i * source.ranks_per_row, LEFT - 6, TOP + (i + 0.5) * size);
      context.textAlign = "center";
      context.fillText(i * source.ranks_per_row, LEFT + (i + 0.5) * size, TOP / 2);
    }
  });
  const boxOf = ([a, b, c, d]) => [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
  const span = (low, high) => `${low * source.ranks_per_row}-${Math.min(run.ranks.useful_s.length, (high + 1) * source.ranks_per_row) - 1}`;
  function cellAt(event) {
    const box = canvas.getBoundingClientRect(), size = side(box.width);
    return [Math.floor((event.clientY - box.top - TOP) / size), Math.floor((event.clientX - box.left - LEFT) / size)];
  }
  const within = (cell) => cell.map((i) => Math.max(0, Math.min(n - 1, i)));
  /* A box that is dragged shows its ranks alone in the timeline. */
  let isPressed = false;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    isPressed = Boolean(timeline);
    brushed = isPressed ? [...within(cellAt(event)), ...within(cellAt(event))] : null;
  });
  canvas.addEventListener("pointerup", () => {
    if (isPressed && brushed[0] === brushed[2] && brushed[1] === brushed[3]) brushed = null;
    if (isPressed) limit();
    isPressed = false;
    redraw();
  });
  function limit() {
    const [top, left, bottom, right] = brushed ? boxOf(brushed) : [];
    timeline.limit(brushed ? `${span(top, bottom)}, ${span(left, right)}` : "");
  }
  canvas.addEventListener("pointermove", (event) => {
    const [from, to] = cellAt(event);
    if (isPressed) {
      brushed.splice(2, 2, ...within([from, to]));
      redraw();
    }
    tell(from, to);
  });
  function tell(from, to) {
    if (from < 0 || to < 0 || from >= n || to >= n) return;
    const cell = cells.get(from * n + to) || [from, to, 0, 0];
    status.textContent = `${title(from)} to ${title(to)}: ${count(cell[2])} messages, ${bytes(cell[3])}`;
  }
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  canvas.addEventListener("keydown", (event) => {
    const go = steps[event.key], [, , row, column] = brushed || [0, 0, 0, -1];
    if (event.ctrlKey || event.metaKey || event.altKey || !(go || ["Enter", "Escape"].includes(event.key))) return;
    event.preventDefault();
    if (go) {
      const cell = within([row + go[0], column + go[1]]);
      brushed = event.shiftKey && brushed ? [brushed[0], brushed[1], ...cell] : [...cell, ...cell];
      tell(...cell);
    } else if (event.key === "Escape") brushed = null;
    if (!go && timeline) limit();
    redraw();
  });
  what.addEventListener("change", redraw);
  const largest = [...source.cells].sort((a, b) => b[3] - a[3]).slice(0, 8);
  return el("div", {}, el("div", { className: "tools" }, what, el("span", { className: "note" }, "senders downwards, receivers to the right; logarithmic shades" + (timeline ? "; drag a box: the timeline shows its ranks alone" : ""))),
    canvas, status, el("h3", {}, "Largest"), table([
      { title: "from", of: (cell) => cell[0], show: (cell) => title(cell[0]) },
      { title: "to", of: (cell) => cell[1], show: (cell) => title(cell[1]) },
      { title: "messages", of: (cell) => cell[2], show: (cell) => count(cell[2]) },
      { title: "volume", of: (cell) => cell[3], show: (cell) => bytes(cell[3]) }], largest));
}
