/* The timeline: ranks downwards, time to the right; zooms from the whole run to picoseconds, and from all ranks to one. */
const ACTIVITIES = ["computing", "communicating", "waiting"];
const N_KERNELS = 7; /* that have a colour of their own */

/* "#0072b2" as numbers. */
function channels(name) {
  const hex = colour(name).slice(1);
  return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

/*
 * Shares of time as a picture of `width` x `lines`, exact for any number of intervals: each adds its colour where it begins and takes it away
 * where it ends, on two neighbouring columns by the part of them that it covers.
 */
function Density(width, lines) {
  const stride = 4 * (width + 2), sums = new Float32Array(stride * lines), image = new ImageData(width, lines), pixels = new Uint32Array(image.data.buffer);
  /* Intervals `i` … `last` - 1, as many pixels for a unit of time as `scale` says; table: r, g, b, share of each kind. Where one follows another
   * without a gap, what changes there is added once. */
  function addIntervals(line, { begin, end, kind, part }, i, last, from, to, scale, table) {
    let r = 0, g = 0, b = 0, share = 0, finish = from;
    for (let isLast = false; !isLast; i++) {
      isLast = i >= last || begin[i] >= to;
      for (let hasGap = isLast || begin[i] !== finish; ; hasGap = false) {
        const k = hasGap ? 0 : 4 * kind[i], next = hasGap ? 0 : table[k + 3] * (part ? part[i] : 1), nextR = table[k] * next, nextG = table[k + 1] * next, nextB = table[k + 2] * next;
        const x = Math.min(width, Math.max(0, ((hasGap ? finish : begin[i]) - from) * scale)), column = x | 0, more = x - column, less = 1 - more, at = line * stride + 4 * column;
        sums[at] += (nextR - r) * less;
        sums[at + 1] += (nextG - g) * less;
        sums[at + 2] += (nextB - b) * less;
        sums[at + 3] += (next - share) * less;
        sums[at + 4] += (nextR - r) * more;
        sums[at + 5] += (nextG - g) * more;
        sums[at + 6] += (nextB - b) * more;
        sums[at + 7] += (next - share) * more;
        r = nextR; g = nextG; b = nextB; share = next;
        if (isLast || !hasGap) break;
      }
      if (!isLast) finish = end[i];
    }
  }
  /* On `paper`; full[line]: how much is all of it. */
  function picture(paper, full) {
    const [red, green, blue] = paper;
    for (let line = 0, to = 0; line < lines; line++) {
      const scale = full[line] > 0 ? 1 / full[line] : 0;
      let r = 0, g = 0, b = 0, share = 0;
      for (let column = 0, at = line * stride; column < width; column++, at += 4, to++) {
        r += sums[at]; g += sums[at + 1]; b += sums[at + 2]; share += sums[at + 3];
        const left = share * scale < 1 ? 1 - share * scale : 0;
        pixels[to] = 0xff000000 | (blue * left + b * scale + 0.5) << 16 | (green * left + g * scale + 0.5) << 8 | (red * left + r * scale + 0.5);
      }
    }
    return image;
  }
  return { width, lines, addIntervals, picture, clear: () => sums.fill(0) };
}

/*
 * Draws into `section`. `given`: id, before the ids of its parts; title, above it; beside, the list of timelines that show the same
 * window, itself included; length, of its own run; isBare: the controls are those of the timeline below it.
 */
function Timeline(section, source, given) {
  const { id, title, beside, isBare, length } = { id: "timeline", beside: [], length: source.end, ...given };

  const LEFT = 56, AXIS = 24, MOST_LINES = 4000, MOST_BOXES = 20000, TALLEST = 520, STRIDE = 16, FRAME_MS = 12;
  const lanes = Lanes(source), { intervals, messages, step: perUnit } = lanes, end = source.end;
  const phases = isBare ? [] : (run.phases || []).map((phase) => ({ ...phase, begin: phase.begin_s / source.unit_s, end: phase.end_s / source.unit_s }));
  const self = { take, mark, choose, chooseRank, show, look, arrange, limit, enter, lanes, redraw: () => redraw(), shift: 0, frame: [] };
  const canvas = el("canvas", { tabIndex: 0, role: "img", "aria-describedby": id + "-status",
    "aria-label": (title ? title + ": " : "") + "Timeline of the ranks. Plus and minus zoom, arrow keys move, up and down choose a rank, i and o zoom on ranks, Page Up and Page Down move them, Home shows all." });
  const status = el("p", { className: "status", id: id + "-status", "aria-live": "polite" });
  const hint = el("span", { className: "note" }), said = el("span", { className: "note", role: "status" });
  let from = 0, to = end, low = 0, high = lanes.n, chosenRow = -1, chosenRank = -1, showMessages = true, chain = null, chainShown = false;
  let isFound = null, box = null, shares = { key: "" }, version = 0, under = -1;

  const plot = () => Math.min(TALLEST, 22 * lanes.n), band = () => phases.length ? 18 : 0;
  const height = () => AXIS + plot() + band() + 2, rowHeight = () => plot() / (high - low);
  const xOf = (time, width) => LEFT + (time - from) / (to - from) * (width - LEFT);
  const yOf = (rank) => AXIS + (lanes.rowOf[rank] + 0.5 - low) * rowHeight();
  const seconds = (units) => units * source.unit_s;
  const siteName = (site) => source.kinds[site][0] || "not annotated";
  const kernelColour = new Map(lanes.kernels.slice(0, N_KERNELS).map((site, i) => [site, `kernel-${i}`]));
  const colourOf = (kind) => kind % 3 === COMPUTING ? kernelColour.get((kind - COMPUTING) / 3) || "computing" : ACTIVITIES[kind % 3];

  /* The ranks of a row in words. */
  function rowTitle(row) {
    const first = lanes.order[lanes.starts[row]] * perUnit, n = lanes.starts[row + 1] - lanes.starts[row];
    const one = lanes.unit !== "rank" ? `${lanes.unit === "node" ? "node " : "job "}${lanes.titles[row]} (${n * perUnit} ranks from ${first} on)` : "";
    return one || (perUnit === 1 ? `rank ${first}` : `rank ${first}–${Math.min(source.ranks, first + perUnit) - 1}`);
  }
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
    context.fillText(lanes.unit, LEFT - 6, AXIS / 2);
    const every = Math.max(1, Math.ceil(13 / rowHeight()));
    for (let row = Math.ceil(low - 0.5); row < high; row += every)
      if (row >= 0) context.fillText(lanes.titles[row], LEFT - 6, AXIS + (row + 0.5 - low) * rowHeight(), LEFT - 8);
  }
  /* Enough digits to tell neighbouring marks apart. */
  function offset(at, marks) {
    const [factor, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]].find(([f]) => seconds(to) >= f * 0.999) || [1e-12, "ps"];
    const digits = Math.max(0, Math.ceil(-Math.log10(marks / factor) - 1e-9));
    return (at / factor).toFixed(digits) + " " + unit;
  }
  /* Each kind of interval: colour and share; what is searched for stands out. */
  function palette() {
    const n = source.complete ? source.kinds.length : 1, table = new Float32Array(4 * 3 * n), rgb = new Map();
    for (let kind = 0; kind < 3 * n; kind++) {
      const name = source.complete ? colourOf(kind) : ACTIVITIES[kind], share = !isFound || !source.complete || isFound[Math.floor(kind / 3)] ? 1 : 0.18;
      if (!rgb.has(name)) rgb.set(name, channels(name));
      table.set([...rgb.get(name), share], 4 * kind);
    }
    return table;
  }
  /* Boxes in the window; above `most` nobody counts on. */
  function countBoxes(most) {
    let n = 0;
    for (let row = Math.floor(low); row < Math.min(lanes.n, high) && n <= most; row++)
      for (let k = lanes.starts[row]; k < lanes.starts[row + 1]; k++) {
        const rank = lanes.order[k], [first, last] = [intervals.first[rank], intervals.first[rank + 1]];
        n += above(intervals.begin, to, first, last) - above(intervals.end, from, first, last) + 1;
      }
    return n;
  }
  /* Few intervals of rows that are tall enough: a box for each. */
  function drawBoxes(context, width) {
    const tall = rowHeight(), names = source.kinds.map((_, site) => [0, 1, 2].map((activity) => colour(colourOf(3 * site + activity))));
    for (let row = Math.floor(low); row < Math.min(lanes.n, high); row++) {
      const rank = lanes.order[lanes.starts[row]], top = AXIS + (row - low) * tall, last = intervals.first[rank + 1];
      for (let i = above(intervals.end, from, intervals.first[rank], last); i < last && intervals.begin[i] < to; i++) {
        const kind = intervals.kind[i], site = Math.floor(kind / 3), x = Math.max(LEFT, xOf(intervals.begin[i], width));
        context.globalAlpha = !isFound || isFound[site] ? 1 : 0.18;
        context.fillStyle = names[site][kind % 3];
        context.fillRect(x, top, Math.max(Math.min(width, xOf(intervals.end[i], width)) - x, 0.5), tall - (tall > 5 ? 1 : 0));
      }
    }
    context.globalAlpha = 1;
  }
  /* Everything else: each line of pixels shows the shares of its ranks. Of many ranks every STRIDE-th comes first, and as many as a frame has time
   * for; the frames that follow add the others. */
  function beginShares(key, wide, lines, begin, finish) {
    const first = lanes.starts[begin], last = lanes.starts[finish], { density: before, picture: old } = shares, isSame = before && before.width === wide && before.lines === lines;
    const density = isSame ? before : Density(wide, lines), picture = isSame ? old : el("canvas", { width: wide, height: lines });
    density.clear();
    return { key, begin, finish, first, last, at: first, offset: 0, isDone: first === last, picture, density, full: new Float64Array(lines), table: palette() };
  }
  function addShares(shares, wide, lines) {
    const { begin, finish, first, last, full, table, density } = shares, until = performance.now() + FRAME_MS, scale = wide / (to - from);
    let n = 0;
    for (; shares.offset < STRIDE; shares.offset++, shares.at = first + shares.offset)
      for (; shares.at < last; shares.at += STRIDE) {
        const unit = lanes.order[shares.at], line = Math.min(lines - 1, Math.floor((lanes.rowAt[shares.at] - begin) / (finish - begin) * lines)), end = intervals.first[unit + 1];
        full[line]++;
        density.addIntervals(line, intervals, above(intervals.end, from, intervals.first[unit], end), end, from, to, scale, table);
        if ((++n & 15) === 0 && performance.now() > until) { shares.at += STRIDE; return; }
      }
    shares.isDone = true;
  }
  function drawShares(context, width) {
    const wide = Math.max(1, Math.round(width - LEFT)), begin = Math.max(0, Math.floor(low)), finish = Math.min(lanes.n, Math.ceil(high));
    const lines = Math.max(1, Math.min(plot(), finish - begin)), key = [from, to, low, high, version, wide, lines, colour("paper")].join();
    if (shares.key !== key) shares = beginShares(key, wide, lines, begin, finish);
    if (!shares.isDone) {
      addShares(shares, wide, lines);
      shares.picture.getContext("2d").putImageData(shares.density.picture(channels("paper"), shares.full), 0, 0);
      if (!shares.isDone) later();
    }
    context.imageSmoothingEnabled = false;
    context.drawImage(shares.picture, LEFT, AXIS + (begin - low) * rowHeight(), wide, (finish - begin) * rowHeight());
  }
  /* Where what is compared begins and ends; the box that is dragged; the row that is chosen. */
  function drawMarks(context, width) {
    context.fillStyle = context.strokeStyle = colour("mark");
    for (const x of self.frame.map((at) => xOf(at, width)))
      if (x >= LEFT - 1 && x <= width) context.fillRect(Math.min(x, width - 2) - 1, 0, 2, height());
    context.lineWidth = 2;
    const top = AXIS + (chosenRow - low) * rowHeight();
    if (chosenRow >= 0 && chosenRow + 1 > low && chosenRow < high) context.strokeRect(LEFT + 1, Math.max(AXIS, top) - 1, width - LEFT - 2, Math.max(rowHeight(), 2));
    if (box) context.strokeRect(Math.min(box[0], box[2]), Math.min(box[1], box[3]), Math.abs(box[2] - box[0]), Math.abs(box[3] - box[1]));
    context.lineWidth = 1;
  }
  function drawPhases(context, width) {
    const top = AXIS + plot() + 2;
    context.textAlign = "left";
    context.font = "11px system-ui, sans-serif";
    phases.forEach((phase, i) => {
      const x = Math.max(LEFT, xOf(phase.begin, width)), x2 = Math.min(width, xOf(phase.end, width));
      if (x2 <= x) return;
      context.fillStyle = colour(i % 2 ? "line" : "waiting");
      context.fillRect(x, top, Math.max(1, x2 - x - 1), 15);
      context.fillStyle = colour("ink");
      if (x2 - x > 24) context.fillText(phase.name, x + 3, top + 8, x2 - x - 6);
    });
  }
  function visibleMessages(most) {
    const found = [];
    for (let i = 0; i < messages.n && found.length <= most; i++) {
      if (messages.received[i] < from || messages.sent[i] > to) continue;
      const a = lanes.rowOf[messages.source[i]], b = lanes.rowOf[messages.dest[i]];
      if (a >= 0 && b >= 0 && Math.max(a, b) >= low - 1 && Math.min(a, b) <= high) found.push(i);
    }
    return found;
  }
  function line(context, width, a, begin, b, finish) {
    context.moveTo(xOf(begin, width), yOf(a));
    context.lineTo(xOf(finish, width), yOf(b));
  }
  function arrow(context, width, a, begin, b, finish) {
    const x = xOf(finish, width), y = yOf(b), angle = Math.atan2(y - yOf(a), x - xOf(begin, width));
    for (const side of [-0.4, 0.4]) {
      context.moveTo(x, y);
      context.lineTo(x - 7 * Math.cos(angle + side), y - 7 * Math.sin(angle + side));
    }
  }
  function drawMessages(context, width) {
    const found = showMessages && rowHeight() >= 5 ? visibleMessages(MOST_LINES) : [];
    drawn = found.length > MOST_LINES ? [] : found;
    context.strokeStyle = colour("ink");
    context.globalAlpha = drawn.length > 400 ? 0.35 : 0.75;
    context.beginPath();
    for (const i of drawn) {
      line(context, width, messages.source[i], messages.sent[i], messages.dest[i], messages.received[i]);
      if (drawn.length <= 400) arrow(context, width, messages.source[i], messages.sent[i], messages.dest[i], messages.received[i]);
    }
    context.stroke();
    context.globalAlpha = 1;
    if (under >= 0 && drawn.includes(under)) {
      context.lineWidth = 3;
      context.beginPath();
      line(context, width, messages.source[under], messages.sent[under], messages.dest[under], messages.received[under]);
      context.stroke();
    }
    return found.length <= MOST_LINES;
  }
  function drawChain(context, width) {
    context.strokeStyle = colour("bad");
    context.lineWidth = 3;
    context.beginPath();
    for (const [a, begin, b, finish] of chain)
      if (finish >= from && begin <= to && lanes.rowOf[a] >= 0 && lanes.rowOf[b] >= 0) line(context, width, a, begin, b, finish);
    context.stroke();
    context.lineWidth = 1;
  }
  let drawn = [];
  const redraw = sharp(canvas, height, (context, width) => {
    const isTall = rowHeight() >= 3 && source.complete && lanes.unit === "rank" && countBoxes(MOST_BOXES) <= MOST_BOXES;
    context.save();
    context.beginPath();
    context.rect(LEFT, AXIS, width - LEFT, plot());
    context.clip();
    if (isTall) drawBoxes(context, width); else drawShares(context, width);
    const all = drawMessages(context, width);
    if (chainShown && chain) drawChain(context, width);
    context.restore();
    drawPhases(context, width);
    drawAxis(context, width);
    drawMarks(context, width);
    hint.textContent = !showMessages || messages.n === 0 || (all && rowHeight() >= 5) ? "" : "Zoom in to see messages.";
  });
  let isDue = false;
  function later() {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; redraw(); });
  }
  function tellWindow() {
    status.textContent = `${time(seconds(from))} to ${time(seconds(to))} of ${time(seconds(length))}` +
      (chosenRow >= 0 ? `, ${rowTitle(chosenRow)}` : "");
  }
  /* All show as much, each from its own `shift` on: 0, or where what is compared begins in it. */
  const all = () => beside.length ? beside : [self];
  function show(begin, finish) {
    const shifted = all().some((one) => one.shift !== 0);
    for (const one of all()) one.take(begin - self.shift + one.shift, finish - self.shift + one.shift, shifted);
  }
  function showAll() {
    for (const one of all()) Object.assign(one, { shift: 0, frame: [] });
    showRows(0, lanes.n);
    show(0, end);
  }
  function take(begin, finish, shifted) {
    const least = Math.min(end, 20);
    let span = Math.min(end, Math.max(least, finish - begin));
    said.textContent = "";
    from = shifted ? Math.max(-span, Math.min(end, begin)) : Math.max(0, Math.min(end - span, begin));
    to = from + span;
    tellWindow();
    later();
  }
  function look(first, last) {
    const span = Math.max(1, Math.min(lanes.n, last - first));
    low = Math.max(0, Math.min(lanes.n - span, first));
    high = low + span;
    later();
  }
  function showRows(first, last) { for (const one of all()) one.look(first, last); }
  /* A row, where it is chosen by hand: in all of them. */
  function choose(row) { for (const one of all()) one.mark(row); }
  function chooseRank(rank) {
    if (lanes.rowOf[rank] < 0) arrangeAll("", sort.value, group.value);
    choose(lanes.rowOf[rank]);
  }
  function mark(row) {
    chosenRow = row;
    chosenRank = row < 0 ? -1 : lanes.order[lanes.starts[row]] * perUnit;
    if (row >= 0 && (row < low || row + 1 > high)) look(row + 0.5 - (high - low) / 2, row + 0.5 + (high - low) / 2);
    tellWindow();
    later();
  }
  function arrange(wants, by, into) {
    lanes.arrange(wants, by, into);
    version++;
    [low, high, chosenRow] = [0, lanes.n, chosenRank < 0 ? -1 : lanes.rowOf[chosenRank]];
    tellWindow();
    later();
  }
  function arrangeAll(text, by, into) {
    const wants = rankFilter(text);
    ranks.setCustomValidity(wants ? "" : "wanted ranks and nodes, such as 0-7, 12, node 3");
    ranks.reportValidity();
    if (!wants) return;
    ranks.value = text;
    for (const one of all()) one.arrange(text.trim() ? wants : null, by, into);
    said.textContent = lanes.n ? "" : "No rank is so.";
  }
  function zoom(factor, around) {
    const centre = around === undefined ? (from + to) / 2 : around;
    show(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }
  function zoomRows(factor, around) {
    const centre = around !== undefined ? around : chosenRow >= 0 ? chosenRow + 0.5 : (low + high) / 2;
    showRows(centre - (centre - low) * factor, centre + (high - centre) * factor);
  }
  function move(share) { show(from + share * (to - from), to + share * (to - from)); }
  function moveRows(n) { showRows(low + n, high + n); }
  function limit(text) { arrangeAll(text, sort.value, group.value); }

  attach({ canvas, status, section, LEFT, AXIS, zoom, zoomRows, move, moveRows, show, showRows, showAll, choose, tell, plot, later, say: (text) => { said.textContent = text; },
    window: () => ({ from, to, low, high, end, n: lanes.n, chosenRow }), drag: (corners) => { box = corners; later(); },
    phaseAt: (at) => phases.find((phase) => phase.begin <= at && at < phase.end) });

  /* --- what is under the pointer, in words --- */

  function nearest(x, y, width) {
    let found = -1, least = 6;
    for (const i of drawn) {
      const [ax, ay] = [xOf(messages.sent[i], width), yOf(messages.source[i])], [bx, by] = [xOf(messages.received[i], width), yOf(messages.dest[i])];
      const part = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2 || 1)));
      const away = Math.hypot(ax + part * (bx - ax) - x, ay + part * (by - ay) - y);
      if (away < least) [found, least] = [i, away];
    }
    return found;
  }
  function link(node, direction) {
    const one = analysis && analysis.links && analysis.links.find((l) => l.node === node && l.direction === direction);
    return `node ${node}` + (one ? ` (link ${direction} ${percent(one.busy)} busy)` : "");
  }
  function messageText(i) {
    const nodes = run.ranks.node || [], a = nodes[messages.source[i]], b = nodes[messages.dest[i]];
    return `message of ${bytes(messages.size[i])} from rank ${messages.source[i]} to rank ${messages.dest[i]}, sent at ${time(seconds(messages.sent[i]))}, ` +
      `received at ${time(seconds(messages.received[i]))} (${time(seconds(messages.received[i] - messages.sent[i]))})` +
      (a === b ? `, within node ${a}` : `, ${link(a, "out")} to ${link(b, "in")}`);
  }
  function causeText(rank, i) {
    const last = intervals.kind[i] % 3 === WAITING && i + 1 < intervals.first[rank + 1] && intervals.kind[i + 1] === intervals.kind[i] - 1 &&
      intervals.begin[i + 1] === intervals.end[i] ? i + 1 : i;
    const cause = lanes.causeOf(rank, last, intervals.end[last]);
    if (!cause) return "";
    const first = intervals.first[cause.rank], k = above(intervals.begin, cause.at - 0.5, first, intervals.first[cause.rank + 1]) - 1;
    return `; for rank ${cause.rank}` + (k >= first ? `, until then in ${siteName(Math.floor(intervals.kind[k] / 3))}` : "");
  }
  /* The rank at that height of its row. */
  function rankAt(row) {
    const whole = Math.floor(row), n = lanes.starts[whole + 1] - lanes.starts[whole];
    return lanes.order[lanes.starts[whole] + Math.min(n - 1, Math.floor((row - whole) * n))] * perUnit;
  }
  function tell(row, at, x, y) {
    const before = under, message = x === undefined ? -1 : nearest(x, y, canvas.clientWidth);
    under = message;
    if (before !== under) later();
    if (message >= 0) { status.textContent = messageText(message); return; }
    if (row < 0 || row >= lanes.n) return;
    const rank = rankAt(row);
    let text = `${perUnit === 1 ? `rank ${rank}` : rowTitle(Math.floor(row))} at ${time(seconds(at))}`;
    if (source.complete) {
      const i = above(intervals.end, at, intervals.first[rank], intervals.first[rank + 1]);
      if (i < intervals.first[rank + 1] && intervals.begin[i] <= at) {
        const kind = intervals.kind[i], site = Math.floor(kind / 3);
        text += `: ${siteName(site)}, ${ACTIVITIES[kind % 3]}, ` +
          `${time(seconds(intervals.begin[i]))} to ${time(seconds(intervals.end[i]))} (${time(seconds(intervals.end[i] - intervals.begin[i]))})` +
          (source.kinds[site][1] ? `, at ${source.kinds[site][1]}` : "") + (kind % 3 === COMPUTING ? "" : causeText(rank, i));
      } else text += ": nothing recorded";
    }
    status.textContent = text;
  }

  /* --- what is searched for --- */

  function search(text) {
    const wanted = text.trim().toLowerCase();
    isFound = wanted ? source.kinds.map(([name, place]) => `${name || "(not annotated)"} at ${place || ""}`.toLowerCase().includes(wanted)) : null;
    version++;
    said.textContent = "";
    later();
  }
  /* The rank's first interval that is found, and the first one behind `middle`. */
  function hitsOf(rank, k, middle) {
    const hits = [];
    for (let i = intervals.first[rank]; i < intervals.first[rank + 1]; i++) {
      if (!isFound[Math.floor(intervals.kind[i] / 3)]) continue;
      const isBehind = (intervals.begin[i] + intervals.end[i]) / 2 > middle + 1;
      if (isBehind || !hits.length) hits.push([intervals.begin[i], intervals.end[i], k]);
      if (isBehind) break;
    }
    return hits;
  }
  /* To the next phase or interval that is found behind the middle of the window; after the last one to the first. */
  function next() {
    const wanted = find.value.trim().toLowerCase(), middle = (from + to) / 2;
    let hits = phases.filter((phase) => wanted && phase.name.toLowerCase().includes(wanted)).map((phase) => [phase.begin, phase.end, -1]);
    if (!hits.length && isFound && source.complete) hits = Array.from(lanes.order, (rank, k) => hitsOf(rank, k, middle)).flat();
    if (!hits.length) { said.textContent = "Nothing is found."; return; }
    const behind = hits.filter(([a, b]) => (a + b) / 2 > middle + 1), best = (behind.length ? behind : hits).reduce((a, b) => b[0] < a[0] ? b : a);
    const margin = Math.max(2, 0.5 * (best[1] - best[0]));
    if (best[2] >= 0) choose(lanes.rowOf[lanes.order[best[2]] * perUnit]);
    show(best[0] - margin, best[1] + margin);
  }
  self.search = (text) => { find.value = text; search(text); enter(); };
  /* The page shows it, and its keys work. */
  function enter() {
    section.scrollIntoView();
    canvas.focus({ preventScroll: true });
  }

  /* --- controls --- */

  const button = (name, action) => el("button", { type: "button", onclick: action }, name);
  const choice = (label, options, action) => el("select", { "aria-label": label, onchange: action }, ...options.map(([value, text]) => el("option", { value }, text)));
  function tick(name, key, checked, action) {
    const one = el("input", { type: "checkbox", checked, id: `${id}-${key}`, onchange: () => action(one.checked) });
    return el("label", { for: one.id }, one, " " + name);
  }
  const again = () => arrangeAll(ranks.value, sort.value, group.value);
  const ranks = el("input", { type: "search", className: "ranks", placeholder: "ranks: 0-7, node 3", "aria-label": "ranks to show", onchange: again });
  const sort = choice("order of the ranks", [["rank", "in order"], ["computing", "most computing first"], ["communicating", "most communicating first"], ["waiting", "most waiting first"], ["end", "last to end first"]], again);
  const group = choice("a row for each", [["", "a row for each rank"], ...(run.ranks.node ? [["node", "for each node"]] : []), ...(run.jobs ? [["job", "for each job"]] : [])], again);
  const find = el("input", { type: "search", className: "find", placeholder: "search: call, line, phase", "aria-label": "search for a call, kernel, line or phase", oninput: () => search(find.value),
    onkeydown: (event) => { if (event.key === "Enter") next(); } });
  find.setAttribute("list", id + "-kinds");
  const known = el("datalist", { id: id + "-kinds" }, ...[...new Set([...source.kinds.flatMap(([name, place]) => [name || "(not annotated)", place]), ...phases.map((phase) => phase.name)].filter(Boolean))].map((value) => el("option", { value })));
  const hasChain = source.complete && source.messages_complete && messages.n > 0;
  const missing = [[source.complete, "This run has more intervals than are kept one by one: every column shows the shares of its activities."],
    [source.messages_complete, "Only the first messages are drawn."],
    [hasChain || messages.n === 0, "The critical path is not drawn: that takes all intervals and messages."]].filter(([isThere]) => !isThere).map(([, text]) => text);
  const zooms = [button("+", () => zoom(0.5)), button("−", () => zoom(2)), button("◀", () => move(-0.5)), button("▶", () => move(0.5)), button("all", showAll)];
  const colours = lanes.kernels.length > 1 ? lanes.kernels.slice(0, N_KERNELS).map((site, i) => [`kernel-${i}`, siteName(site)]) : [];
  if (title) section.append(el("h3", {}, title));
  if (isBare) {
    section.append(el("div", { className: "tools" }, ...zooms), canvas, status,
      note((source.complete ? "" : "Every column shows the shares of its activities. ") +
        "A trace of a real run does not tell waiting from communicating: a call is one colour. Where it is blank, the rank neither computed nor was in a call: it waited for a core, or was being recorded."));
  } else {
    section.append(
      el("div", { className: "tools" }, ...(beside.length ? [] : zooms), tick("messages", "messages", true, (on) => { showMessages = on; later(); }),
        hasChain ? tick("critical path", "chain", false, (on) => { chain = chain || lanes.path(); chainShown = on; later(); }) : null, ranks, sort, group, find, known, button("next", next), hint, said),
      canvas, status, legend([...(colours.length ? colours : [["computing", "computing"]]), ...(lanes.kernels.length > N_KERNELS ? [["computing", "other computing"]] : []), ["communicating", "communicating"], ["waiting", "waiting"],
        ["ink", "line: a message, from its send to its receive"]]),
      ...missing.map(note),
      hintText("Ctrl and wheel, pinch or + and − zoom; with Shift, or i and o, on ranks; drag or arrow keys move; Shift and drag zoom to a box; click a rank to choose it."));
  }
  tellWindow();
  return self;
}
