/* The timeline: ranks downwards, time to the right; zooms from the whole run to picoseconds. */
const ACTIVITIES = [["computing", "computing"], ["communicating", "communicating"], ["waiting", "waiting"]];

/* Begin, end and kind of each row's intervals, from gaps and lengths. */
function unpack(packed) {
  const n = packed.length / 3, row = { begin: new Float64Array(n), end: new Float64Array(n), kind: new Int32Array(n), n };
  let at = 0;
  for (let i = 0; i < n; i++) {
    row.kind[i] = packed[3 * i];
    row.begin[i] = at += packed[3 * i + 1];
    row.end[i] = at += packed[3 * i + 2];
  }
  return row;
}

/* The first index of the sorted array whose value is above `value`. */
function above(sorted, value, from) {
  let low = from || 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > value) high = middle; else low = middle + 1;
  }
  return low;
}

/*
 * Draws into `section`. `given`: id, before the ids of its parts; title, above it; beside, the list of timelines that show the same
 * window, itself included; length, of its own run; isBare: neither messages nor names, as those of the timeline below it.
 */
function Timeline(section, source, given) {
  const { id, title, beside, isBare, length } = { id: "timeline", beside: [], length: source.end, ...given };

  const LEFT = 56, AXIS = 24, MAX_LINES = 4000;
  const self = { take, mark, choose, show, shift: 0, frame: [] };
  const rows = source.intervals.map(unpack), end = source.end, nRows = source.rows;
  const messages = source.messages, nMessages = messages.length / 5;
  const rowHeight = Math.max(3, Math.min(22, Math.floor(520 / nRows)));
  const canvas = el("canvas", { tabIndex: 0, role: "img", "aria-describedby": id + "-status",
    "aria-label": (title ? title + ": " : "") + "Timeline of the ranks. Plus and minus zoom, arrow keys move, up and down choose a rank, Home shows all." });
  const status = el("p", { className: "status", id: id + "-status", "aria-live": "polite" });
  let from = 0, to = end, chosenRow = -1, showMessages = true, highlighted = -1;
  const height = () => AXIS + nRows * rowHeight + 2;
  const xOf = (time, width) => LEFT + (time - from) / (to - from) * (width - LEFT);
  const seconds = (units) => units * source.unit_s;
  const rowTitle = (row) => source.ranks_per_row === 1 ? String(row)
    : row * source.ranks_per_row + "–" + (Math.min(source.ranks, (row + 1) * source.ranks_per_row) - 1);

  function drawAxis(context, width) {
    const marks = step(seconds(to - from), (width - LEFT) / 110);
    context.fillStyle = colour("soft");
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let at = Math.ceil(seconds(from) / marks - 1e-9) * marks; at <= seconds(to) * (1 + 1e-12); at += marks) {
      const x = xOf(at / source.unit_s, width);
      context.textAlign = x > width - 40 ? "right" : "left";
      context.fillText(offset(at, marks), Math.min(x + 3, width - 2), AXIS / 2);
      context.fillRect(x, 0, 1, AXIS);
    }
    context.textAlign = "right";
    const every = Math.ceil(13 / rowHeight);
    for (let row = 0; row < nRows; row += every)
      context.fillText(rowTitle(row), LEFT - 6, AXIS + (row + 0.5) * rowHeight);
  }
  /* Enough digits to tell neighbouring marks apart. */
  function offset(at, marks) {
    const [factor, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]].find(([f]) => seconds(to) >= f * 0.999) || [1e-12, "ps"];
    const digits = Math.max(0, Math.ceil(-Math.log10(marks / factor) - 1e-9));
    return (at / factor).toFixed(digits) + " " + unit;
  }
  /* One box per interval; those narrower than a pixel share it, and the longest of them gives the colour. */
  function drawRow(context, row, top, width, colours) {
    const { begin, end: ends, kind, n } = rows[row];
    for (let i = above(ends, from); i < n && begin[i] < to;) {
      const x = Math.max(LEFT, xOf(begin[i], width));
      let last = i, longest = i;
      const pixelEnd = from + (Math.floor(x) + 1 - LEFT) / (width - LEFT) * (to - from);
      if (ends[i] < pixelEnd) {
        last = Math.max(i, above(ends, pixelEnd, i) - 1);
        const step = Math.max(1, Math.floor((last - i) / 64));
        for (let j = i; j <= last; j += step)
          if (ends[j] - begin[j] > ends[longest] - begin[longest]) longest = j;
      }
      const x2 = Math.min(width, last > i ? Math.floor(x) + 1 : xOf(ends[last], width));
      const dim = highlighted >= 0 && Math.floor(kind[longest] / 3) !== highlighted;
      context.globalAlpha = dim ? 0.2 : 1;
      context.fillStyle = colours[kind[longest] % 3];
      context.fillRect(x, top, Math.max(x2 - x, 0.5), rowHeight - (rowHeight > 5 ? 1 : 0));
      i = last + 1;
    }
    context.globalAlpha = 1;
  }
  /* Shares of each column of the raster as stacked boxes; for runs with more intervals than are kept. */
  function drawRaster(context, row, top, width, colours) {
    const raster = source.raster, text = raster.cells[row], tall = rowHeight - (rowHeight > 5 ? 1 : 0);
    const first = Math.max(0, Math.floor(from / raster.width)), last = Math.min(text.length / 3, Math.ceil(to / raster.width));
    for (let column = first; column < last; column++) {
      const x = Math.max(LEFT, xOf(column * raster.width, width)), x2 = Math.min(width, xOf((column + 1) * raster.width, width));
      for (let activity = 0, y = top; activity < 3; activity++) {
        const share = (text.charCodeAt(3 * column + activity) - 48) / 63;
        context.fillStyle = colours[activity];
        context.fillRect(x, y, x2 - x + 0.3, share * tall);
        y += share * tall;
      }
    }
  }
  /* Where what is compared begins and ends. */
  function drawFrame(context, width) {
    context.fillStyle = colour("mark");
    for (const x of self.frame.map((at) => xOf(at, width)))
      if (x >= LEFT - 1 && x <= width) context.fillRect(Math.min(x, width - 2) - 1, 0, 2, height());
  }
  function visibleMessages(limit) {
    const found = [];
    for (let i = 0; i < nMessages && found.length <= limit; i++)
      if (messages[5 * i + 3] >= from && messages[5 * i + 2] <= to) found.push(i);
    return found;
  }
  function drawMessages(context, width) {
    const found = showMessages && rowHeight >= 5 ? visibleMessages(MAX_LINES) : [];
    if (found.length > MAX_LINES) return false;
    context.save();
    context.strokeStyle = colour("ink");
    context.globalAlpha = found.length > 400 ? 0.35 : 0.75;
    context.beginPath();
    context.rect(LEFT, AXIS, width - LEFT, nRows * rowHeight);
    context.clip();
    context.beginPath();
    for (const i of found) {
      const y = (rank) => AXIS + (Math.floor(rank / source.ranks_per_row) + 0.5) * rowHeight;
      context.moveTo(xOf(messages[5 * i + 2], width), y(messages[5 * i]));
      context.lineTo(xOf(messages[5 * i + 3], width), y(messages[5 * i + 1]));
    }
    context.stroke();
    context.restore();
    return true;
  }
  const redraw = sharp(canvas, height, (context, width) => {
    const colours = ACTIVITIES.map(([name]) => colour(name));
    for (let row = 0; row < nRows; row++) {
      const top = AXIS + row * rowHeight;
      if (row === chosenRow) {
        context.fillStyle = colour("panel");
        context.fillRect(0, top, width, rowHeight);
      }
      if (source.complete) drawRow(context, row, top, width, colours);
      else drawRaster(context, row, top, width, colours);
    }
    const all = drawMessages(context, width);
    drawAxis(context, width);
    drawFrame(context, width);
    hint.textContent = !showMessages || all ? "" : "Zoom in to see messages.";
  });
  function tellWindow() {
    status.textContent = `${time(seconds(from))} to ${time(seconds(to))} of ${time(seconds(length))}` +
      (chosenRow >= 0 ? `, rank ${rowTitle(chosenRow)}` : "");
  }
  /* All show as much, each from its own `shift` on: 0, or where what is compared begins in it. */
  const all = () => beside.length ? beside : [self];
  function show(begin, finish) {
    const shifted = all().some((one) => one.shift !== 0);
    for (const one of all()) one.take(begin - self.shift + one.shift, finish - self.shift + one.shift, shifted);
  }
  function showAll() {
    for (const one of all()) Object.assign(one, { shift: 0, frame: [] });
    show(0, end);
  }
  function take(begin, finish, shifted) {
    const least = Math.min(end, 20);
    let span = Math.min(end, Math.max(least, finish - begin));
    from = shifted ? Math.max(-span, Math.min(end, begin)) : Math.max(0, Math.min(end - span, begin));
    to = from + span;
    tellWindow();
    redraw();
  }
  /* A rank, where it is chosen by hand: in all of them. */
  function choose(row) {
    for (const one of all()) one.mark(row);
  }
  function mark(row) {
    chosenRow = row;
    tellWindow();
    redraw();
  }
  function zoom(factor, around) {
    const centre = around === undefined ? (from + to) / 2 : around;
    show(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }
  function move(share) { show(from + share * (to - from), to + share * (to - from)); }
  function timeAt(event) {
    const box = canvas.getBoundingClientRect();
    return from + Math.max(0, event.clientX - box.left - LEFT) / (box.width - LEFT) * (to - from);
  }
  function rowAt(event) {
    return Math.floor((event.clientY - canvas.getBoundingClientRect().top - AXIS) / rowHeight);
  }
  /* What was under the pointer, in words. */
  function describe(row, at) {
    if (row < 0 || row >= nRows) return;
    let text = `rank ${rowTitle(row)} at ${time(seconds(at))}`;
    if (source.complete) {
      const { begin, end: ends, kind, n } = rows[row], i = above(ends, at);
      if (i < n && begin[i] <= at) {
        const activity = ACTIVITIES[kind[i] % 3][1];
        text += `: ${source.names[Math.floor(kind[i] / 3)] || "not annotated"}, ${activity}, ` +
          `${time(seconds(begin[i]))} to ${time(seconds(ends[i]))} (${time(seconds(ends[i] - begin[i]))})`;
      } else text += ": nothing recorded";
    }
    status.textContent = text;
  }

  const pointers = new Map();
  let dragged = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) move((event.deltaX || event.deltaY) / 800);
    else zoom(Math.exp(event.deltaY / 300), timeAt(event));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event.clientX);
    dragged = { at: timeAt(event), x: event.clientX, from, to };
  });
  canvas.addEventListener("pointermove", (event) => {
    const width = canvas.clientWidth - LEFT;
    if (!pointers.has(event.pointerId)) { describe(rowAt(event), timeAt(event)); return; }
    pointers.set(event.pointerId, event.clientX);
    if (pointers.size === 1 && dragged && Math.abs(event.clientX - dragged.x) > 3) {
      const shift = (event.clientX - dragged.x) / width * (dragged.to - dragged.from);
      show(dragged.from - shift, dragged.to - shift);
    } else if (pointers.size === 2) {
      const [a, b] = [...pointers.values()], spread = Math.max(10, Math.abs(a - b));
      if (dragged.spread) zoom(dragged.spread / spread);
      dragged.spread = spread;
    }
  });
  function release(event) {
    if (pointers.delete(event.pointerId) && dragged && Math.abs(event.clientX - dragged.x) <= 3) {
      choose(rowAt(event) < nRows ? rowAt(event) : -1);
      describe(chosenRow, timeAt(event));
    }
    dragged = null;
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("dblclick", (event) => zoom(0.25, timeAt(event)));
  canvas.addEventListener("keydown", (event) => {
    const actions = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), ArrowLeft: () => move(-0.2),
      ArrowRight: () => move(0.2), Home: showAll, End: () => show(end - (to - from), end),
      ArrowUp: () => { choose(Math.max(0, chosenRow - 1)); describe(chosenRow, (from + to) / 2); },
      ArrowDown: () => { choose(Math.min(nRows - 1, chosenRow + 1)); describe(chosenRow, (from + to) / 2); } };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });

  const button = (title, action) => el("button", { type: "button", onclick: action }, title);
  const lines = el("input", { type: "checkbox", checked: true, id: id + "-messages", onchange: () => { showMessages = lines.checked; redraw(); } });
  const names = el("select", { "aria-label": "highlight a kernel or call", onchange: () => { highlighted = Number(names.value); redraw(); } },
    el("option", { value: -1 }, "highlight …"), ...source.names.map((name, i) => el("option", { value: i }, name || "(not annotated)")));
  const hint = el("span", { className: "note" });
  const zooms = [button("+", () => zoom(0.5)), button("−", () => zoom(2)), button("◀", () => move(-0.5)),
    button("▶", () => move(0.5)), button("all", showAll)];
  if (title) section.append(el("h3", {}, title));
  if (isBare) {
    section.append(el("div", { className: "tools" }, ...zooms, names), canvas, status,
      note((source.complete ? "" : "Every column shows the shares of its activities. ") +
        "A trace of a real run does not tell waiting from communicating: a call is one colour. Where it is blank, the rank neither computed nor was in a call: it waited for a core, or was being recorded."));
  } else {
    section.append(
      el("div", { className: "tools" }, ...(beside.length ? [] : zooms),
        el("label", { for: id + "-messages" }, lines, " messages"), names, hint),
      canvas, status, legend([...ACTIVITIES, ["ink", "line: a message, from its send to its receive"]]),
      note((source.complete ? "" : "This run has more intervals than are kept one by one: every column shows the shares of its activities. ") +
        (source.messages_complete ? "" : "Only the first messages are drawn. ") +
        "Wheel, pinch or + and − zoom; drag or arrow keys move; click a rank to choose it."));
  }
  tellWindow();
  return self;
}
