"use strict";
/* What all sections use: elements, numbers with units, tables that sort, colours. */
const data = JSON.parse(document.getElementById("data").textContent);
const run = data.run;

for (const [type, isPrinted] of [["beforeprint", true], ["afterprint", false]]) addEventListener(type, () => document.documentElement.classList.toggle("printed", isPrinted));

function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name === "style" || name.includes("-") || name === "role" || name === "for") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/* Three significant digits and a unit, as the summary in text has them. */
function scaled(value, units) {
  const [factor, unit] = units.find(([least]) => Math.abs(value) >= least * 0.9995) || units[units.length - 1];
  return Number((value / factor).toPrecision(3)) + " " + unit;
}
function time(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds === 0) return "0 s";
  return scaled(seconds, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]]);
}
function bytes(size) {
  if (size < 1000) return Math.round(size) + " B";
  return scaled(size, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]]);
}
function percent(fraction) {
  return fraction === null || fraction === undefined ? "–" : (100 * fraction).toFixed(1) + " %";
}
function count(number) {
  return Number(number).toLocaleString("en").replace(/,/g, " ");
}
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}
function meterOf(fraction) {
  const bar = el("i", { style: `width:${Math.max(0, Math.min(1, fraction || 0)) * 100}%` });
  return el("span", { className: "meter", "aria-hidden": "true" }, bar);
}
function meter(fraction) {
  return el("td", { className: "bar" }, meterOf(fraction), percent(fraction));
}
function note(text) {
  return el("p", { className: "note" }, text);
}
/* How to use the page: not printed. */
function hintText(text) {
  return el("p", { className: "note screen" }, text);
}
function legend(entries) {
  return el("div", { className: "legend" },
    ...entries.map(([name, text]) => el("span", {}, el("i", { style: `background:var(--${name})` }), text)));
}

/*
 * A table: columns [{title, of(row) → sortable value, show(row) → text or <td>}]. Clicking a title
 * sorts by it, clicking again the other way.
 */
function table(columns, rows, limit) {
  const body = el("tbody"), head = el("tr");
  let shown = limit || rows.length, order = null;

  function fill() {
    body.replaceChildren(...rows.slice(0, shown).map((row) => {
      return el("tr", {}, ...columns.map((column) => {
        const cell = column.show ? column.show(row) : column.of(row);
        return cell instanceof HTMLElement && cell.tagName === "TD" ? cell : el("td", {}, cell);
      }));
    }));
  }
  function sortBy(column, cell) {
    const ascending = order === column ? cell.getAttribute("aria-sort") !== "ascending" : typeof column.of(rows[0]) === "string";
    for (const other of head.children) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    order = column;
    rows.sort((a, b) => {
      const x = column.of(a), y = column.of(b);
      return (x < y ? -1 : x > y ? 1 : 0) * (ascending ? 1 : -1);
    });
    fill();
  }
  for (const column of columns) {
    const cell = el("th", { scope: "col" });
    if (column.title) cell.append(el("button", { type: "button", onclick: () => rows.length && sortBy(column, cell) }, column.title));
    head.append(cell);
  }
  fill();
  const whole = el("div", {}, el("div", { className: "scroll" }, el("table", {}, el("thead", {}, head), body)));
  if (shown < rows.length) {
    const more = el("button", { type: "button" }, `show all ${rows.length}`);
    more.onclick = () => { shown = rows.length; fill(); more.remove(); };
    whole.append(el("div", { className: "tools" }, more));
  }
  return whole;
}

/* A canvas as wide as its place and sharp on any screen; draw(context, width, height) in CSS pixels. */
function sharp(canvas, height, draw) {
  function redraw() {
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth || 800;
    canvas.style.height = height() + "px";
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height() * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height());
    draw(context, width, height());
  }
  new ResizeObserver(redraw).observe(canvas);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  for (const type of ["beforeprint", "afterprint"]) window.addEventListener(type, redraw);
  return redraw;
}

/* Round steps for an axis with about `wanted` marks over `span`. */
function step(span, wanted) {
  const rough = span / Math.max(1, wanted), power = Math.pow(10, Math.floor(Math.log10(rough)));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || rough;
}
