/* Pointer, wheel and keys of a timeline. The wheel alone scrolls the page. */
function attach(view) {
  const { canvas, LEFT, AXIS } = view, pointers = new Map();
  let dragged = null;
  const place = () => canvas.getBoundingClientRect();
  function timeAt(event) {
    const { from, to } = view.window(), box = place();
    return from + Math.max(0, event.clientX - box.left - LEFT) / (box.width - LEFT) * (to - from);
  }
  function rowAt(event) {
    const { low, high } = view.window();
    return low + (event.clientY - place().top - AXIS) / view.plot() * (high - low);
  }
  const isPhase = (event) => event.clientY - place().top > AXIS + view.plot();

  canvas.addEventListener("wheel", (event) => {
    const factor = Math.exp((event.deltaY || event.deltaX) / 300), isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (event.ctrlKey && event.shiftKey) view.zoomRows(factor, rowAt(event));
    else if (event.ctrlKey) view.zoom(factor, timeAt(event));
    else if (event.shiftKey || isSideways) view.move((event.deltaX || event.deltaY) / 800);
    else { view.say("Ctrl and the wheel zoom."); return; }
    event.preventDefault();
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event.clientX);
    dragged = { x: event.clientX, y: event.clientY, isBox: event.shiftKey, at: timeAt(event), row: rowAt(event), ...view.window() };
  });
  function drag(event) {
    const box = place(), { x, y, from, to, low, high } = dragged;
    if (dragged.isBox) { view.drag([x - box.left, y - box.top, event.clientX - box.left, event.clientY - box.top]); return; }
    const shift = (event.clientX - x) / (canvas.clientWidth - LEFT) * (to - from), rows = (event.clientY - y) / view.plot() * (high - low);
    view.show(from - shift, to - shift);
    if (high - low < dragged.n) view.showRows(low - rows, high - rows);
  }
  canvas.addEventListener("pointermove", (event) => {
    const box = place();
    if (!pointers.has(event.pointerId)) { view.tell(rowAt(event), timeAt(event), event.clientX - box.left, event.clientY - box.top); return; }
    pointers.set(event.pointerId, event.clientX);
    if (pointers.size === 1 && dragged && Math.hypot(event.clientX - dragged.x, event.clientY - dragged.y) > 3) drag(event);
    else if (pointers.size === 2) {
      const [a, b] = [...pointers.values()], spread = Math.max(10, Math.abs(a - b));
      if (dragged && dragged.spread) view.zoom(dragged.spread / spread);
      if (dragged) dragged.spread = spread;
    }
  });
  function zoomToBox(event) {
    const [a, b] = [dragged.at, timeAt(event)].sort((x, y) => x - y), [c, d] = [dragged.row, rowAt(event)].sort((x, y) => x - y);
    view.drag(null);
    view.show(a, b);
    view.showRows(Math.floor(c), Math.ceil(d));
  }
  function click(event) {
    const { n } = view.window(), row = rowAt(event), phase = isPhase(event) && view.phaseAt(timeAt(event));
    if (phase) { view.show(phase.begin, phase.end); return; }
    const isRow = row >= 0 && row < n && !isPhase(event);
    view.choose(isRow ? Math.floor(row) : -1);
    if (isRow) view.tell(row, timeAt(event));
  }
  function release(event) {
    if (pointers.delete(event.pointerId) && dragged) {
      const isFar = Math.hypot(event.clientX - dragged.x, event.clientY - dragged.y) > 3;
      if (!isFar) { view.drag(null); click(event); } else if (dragged.isBox) zoomToBox(event);
    }
    dragged = null;
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", () => { pointers.clear(); dragged = null; view.drag(null); });
  canvas.addEventListener("dblclick", (event) => view.zoom(0.25, timeAt(event)));
  canvas.addEventListener("keydown", (event) => {
    const { from, to, low, high, end, n, chosenRow } = view.window();
    const chooseAndTell = (row) => { view.choose(row); view.tell(row + 0.5, (from + to) / 2); };
    const actions = { "+": () => view.zoom(0.5), "=": () => view.zoom(0.5), "-": () => view.zoom(2), i: () => view.zoomRows(0.5), o: () => view.zoomRows(2),
      ArrowLeft: () => view.move(-0.2), ArrowRight: () => view.move(0.2), PageUp: () => view.moveRows(low - high), PageDown: () => view.moveRows(high - low),
      Home: view.showAll, End: () => view.show(end - (to - from), end), Escape: () => view.choose(-1),
      ArrowUp: () => chooseAndTell(Math.max(0, chosenRow - 1)), ArrowDown: () => chooseAndTell(Math.min(n - 1, chosenRow + 1)) };
    if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  });
}
