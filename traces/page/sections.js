/* The sections, from the run's JSON (docs/json.md). A section without data goes. */
const place = (id) => document.getElementById(id);
const analysis = run.analysis;

function fillHeader() {
  const program = run.jobs ? `${run.jobs.length} jobs` : run.command[0].split("/").pop();
  document.title = `${program} on ${run.cluster.name || "a cluster"}: mpisim report`;
  place("title").textContent = `${program} on ${run.cluster.name || run.cluster.file}`;
  place("command").textContent = run.command.join(" ");
}

function card(title, value) {
  return el("div", { className: "card" }, el("span", {}, title), el("b", {}, value));
}

function fillAccelerators(section) {
  const rows = run.nodes.flatMap((node) => (node.accelerators || []).map((one, number) => ({ node: node.node, number, ...one })));
  const busy = (title, key) => ({ title, of: (row) => row[key], show: (row) => meter(run.predicted_time_s && row[key] / run.predicted_time_s) });
  if (rows.length) section.append(el("h3", {}, "What accelerators did"), table([{ title: "node", of: (row) => row.node }, { title: "accelerator", of: (row) => row.number },
    busy("kernels", "kernels_s"), busy("copies in", "copies_in_s"), busy("copies out", "copies_out_s")], rows, 8));
}

function fillSummary() {
  const section = place("summary"), parts = [["useful_s", "computing", "computing"], ["accelerator_s", "link", "accelerator"], ["stolen_s", "stolen", "CPU stolen by messages"],
    ["shared_s", "good", "CPU shared with ranks"], ["communicating_s", "communicating", "communicating"], ["waiting_s", "waiting", "waiting"],
    ["ended_s", "line", "ended before others"], ["other_s", "mark", run.jobs ? "not begun, sleeping, other" : "sleeping, other"]]
    .map((part) => [...part, (run.ranks[part[0]] || []).reduce((sum, seconds) => sum + seconds, 0)]);
  const whole = parts.reduce((sum, part) => sum + part[3], 0) || 1;
  if (run.failure) section.append(el("div", { className: "failure" }, `${run.failure.kind}: ` + (run.failure.rank === null ? "" : `rank ${run.failure.rank}: `) +
    run.failure.text + ` (at ${time(run.failure.time_s)} of simulated time)`));
  for (const warning of run.warnings) section.append(el("div", { className: "warning" }, "warning: " + warning));
  section.append(el("div", { className: "cards" },
    card(run.exit.state === "completed" || run.exit.state === "bad_exit" ? "predicted running time" : "simulated until it ended early", time(run.predicted_time_s)),
    card("dynamic efficiency", percent(run.efficiency)), card("ranks on nodes", `${run.settings.ranks} on ${run.nodes.length}`),
    card("messages", count(run.messages)), card("volume", bytes(run.bytes)),
    analysis ? card("on an ideal network", time(analysis.efficiency.ideal_time_s)) : null));
  const shown = parts.filter(([, , , sum]) => sum >= 0.0005 * whole), share = (sum) => percent(sum / whole);
  section.append(el("h3", {}, "Where the time went (mean over the ranks)"), el("div", { className: "stack", role: "img",
    "aria-label": shown.map(([, , text, sum]) => `${text} ${share(sum)}`).join(", ") },
    ...shown.map(([, name, , sum]) => el("i", { style: `width:${100 * sum / whole}%;background:var(--${name})` }))),
    legend(shown.map(([, name, text, sum]) => [name, `${text} ${share(sum)}`])));
  fillAccelerators(section);
}

/* What holds the run back, with the time without it. A button shows a rank in the timeline. */
function fillReasons(timeline) {
  const reasons = analysis && analysis.reasons, section = place("reasons"), hasTimeline = Boolean(data.timeline);
  if (!reasons || (reasons.length === 0 && run.settings.ranks < 2)) return section.remove();
  if (!reasons.length) {
    section.append(note(reasons.unknown ? `Not known: ${reasons.unknown}.` : "Nothing holds it back: no cause costs 0.5 % of the time."));
    return undefined;
  }
  const show = (rank) => el("button", { type: "button", className: "show", onclick: () => {
    timeline.chooseRank(rank);
    timeline.enter();
  } }, String(rank));
  for (const reason of reasons) {
    const shown = reason.ranks.slice(0, 8), more = reason.ranks.length - shown.length;
    section.append(el("div", { className: "reason" }, el("b", {}, reason.text), reason.where ? el("span", {}, ", at ", el("code", {}, reason.where)) : null,
      reason.called_from ? el("span", {}, ", called from ", el("code", {}, reason.called_from)) : null,
      el("div", { className: "reason-gain" }, meterOf(reason.gain_s / run.predicted_time_s),
        ` ${reason.without}: ${time(reason.predicted_time_s)}, ${percent(reason.gain_s / run.predicted_time_s)} less` +
        (reason.waiting_s > 0 ? `; others wait ${time(reason.waiting_s)} for it` : "")),
      shown.length && hasTimeline ? el("div", { className: "note screen" }, "in the timeline: rank", ...shown.map(show), more ? ` and ${more} more` : "") : null,
      reason.option ? el("div", { className: "note" }, "to try it: ", el("code", {}, reason.option)) : null));
  }
  section.append(note("Each time is a prediction without that cause alone, by replay of the run: gains do not add up."));
  return undefined;
}

/* Finds a call, kernel or line in the timeline. */
function finder(text) {
  if (!timelines || !text) return text || "";
  return el("td", {}, el("button", { type: "button", className: "show", title: "show it in the timeline", onclick: () => timelines[timelines.length - 1].search(text) }, text));
}

function fillJobs() {
  if (!run.jobs) return place("jobs").remove();
  place("jobs").append(note(`Utilisation ${percent(run.utilisation)}: node time held by jobs / (all nodes × time).`), table([
    { title: "job", of: (job) => job.name }, { title: "ranks", of: (job) => job.first_rank, show: (job) => `${job.first_rank} to ${job.first_rank + job.ranks - 1}` },
    { title: "nodes", of: (job) => job.nodes }, { title: "begin", of: (job) => job.begin_s, show: (job) => time(job.begin_s) },
    { title: "waited", of: (job) => job.begin_s - job.due_s, show: (job) => job.begin_s === null ? "–" : time(job.begin_s - job.due_s) },
    { title: "end", of: (job) => job.end_s, show: (job) => time(job.end_s) },
    { title: "node time", of: (job) => job.node_s, show: (job) => time(job.node_s) },
    { title: "efficiency", of: (job) => job.efficiency, show: (job) => meter(job.efficiency) }], run.jobs, 30));
  return undefined;
}

function fillEfficiency() {
  if (!analysis) return place("efficiency").remove();
  const jobs = (analysis.jobs || []).map((job) => ({ name: job.name, ...job.efficiency }));
  const times = new Map();
  for (const phase of analysis.phases) times.set(phase.name, (times.get(phase.name) || 0) + 1);
  const rows = [{ name: jobs.length ? "all jobs" : "whole run", ...analysis.efficiency }, ...jobs, ...analysis.phases.map((phase) => ({ ...phase, name: phase.name + (times.get(phase.name) > 1 || phase.index > 0 ? " " + phase.index : "") }))];
  const factor = (title, key) => ({ title, of: (row) => row[key], show: (row) => meter(row[key]) });
  place("efficiency").append(table([{ title: "part of the run", of: (row) => row.name }, { title: "time", of: (row) => row.time_s, show: (row) => time(row.time_s) },
    factor("parallel efficiency", "parallel"), factor("= load balance", "load_balance"), factor("× serialization", "serialization"), factor("× transfer", "transfer")], rows, 20),
    note("Load balance: mean useful computation of a core / that of the busiest. Serialization: what dependencies between ranks cost on an ideal network. Transfer: running time on an ideal network / running time."));
  if (analysis.n_phases) place("efficiency").append(note(`Of ${count(analysis.n_phases)} phases the ${count(analysis.phases.length)} longest are shown; --json has all.`));
  return undefined;
}

function fillCurve() {
  const own = { name: "dynamic efficiency", colour: "computing", points: run.efficiency_curve.map((w) => [w.begin_s, w.end_s, w.efficiency]) };
  const all = [own];
  if (!run.efficiency_curve.length) return place("curve").remove();
  const factor = (name, colour, key) => all.push({ name, colour, points: analysis.efficiency_curve.map((w) => [w.begin_s, w.end_s, w[key]]) });
  if (analysis) {
    factor("load balance", "mark", "load_balance");
    factor("serialization", "good", "serialization");
    factor("transfer", "communicating", "transfer");
  }
  place("curve").append(curves(all, run.predicted_time_s, "Efficiency over time"));
  if (analysis) place("curve").append(note("Parallel efficiency of a window = load balance × serialization × transfer in it; dynamic efficiency counts the cores without ranks, too."));
  return undefined;
}

function fillPath() {
  if (!analysis) return place("path").remove();
  const path = analysis.critical_path, names = { compute: "computing", stolen: "CPU stolen by messages", shared: "CPU shared with ranks" };
  place("path").append(note("The chain of computation and messages that took the whole running time: only what shortens it makes the run faster."),
    table([{ title: "part", of: ([key]) => names[key] || key.replace(/_/g, " ") }, { title: "time", of: ([, s]) => s, show: ([, s]) => time(s) },
      { title: "share", of: ([, s]) => s, show: ([, s]) => meter(s / path.length_s) }], Object.entries(path.parts_s).filter(([, s]) => s > 0)),
    el("h3", {}, "Most on it"),
    table([{ title: "what", of: (b) => b.kernel !== undefined ? b.kernel || "(not annotated)" : b.call || b.blame },
      { title: "where", of: (b) => b.site || "" }, { title: "kind", of: (b) => b.blame.replace(/_/g, " ") },
      { title: "time", of: (b) => b.time_s, show: (b) => time(b.time_s) }, { title: "share", of: (b) => b.time_s, show: (b) => meter(b.time_s / path.length_s) }], path.blame, 12));
  return undefined;
}

function fillWaits() {
  const states = [["late_sender", "late sender"], ["late_receiver", "late receiver"], ["barrier", "wait at barrier"], ["collective", "wait at collective"]];
  if (!analysis || !analysis.wait_states.sites.length) return place("waits").remove();
  place("waits").append(table([{ title: "call", of: (site) => site.call }, { title: "where", of: (site) => site.site || "", show: (site) => finder(site.site) },
    ...(run.jobs ? [{ title: "job", of: (site) => site.job || "" }] : []),
    ...states.map(([key, title]) => ({ title, of: (site) => site[key].time_s, show: (site) => site[key].count ? time(site[key].time_s) + (site[key].open_count ? " *" : "") : "–" }))],
    analysis.wait_states.sites, 12), note("Summed over the ranks." + (states.some(([key]) => analysis.wait_states.all[key].open_count)
      ? " *: calls that were not over when the run ended are among them, with their time so far." : "")));
  return undefined;
}

function fillFabric() {
  const loads = new Map((analysis && analysis.fabric || []).map((l) => [l.name, l.calls]));
  const sender = (l) => (loads.get(l.name) || []).slice(0, 1).map((c) => `${c.call} ${c.site || ""}${c.job ? `, ${c.job}` : ""}`).join("");
  place("links").append(table([{ title: "links between switches, memory", of: (c) => c.name }, { title: "number", of: (c) => c.links, show: (c) => count(c.links) },
    { title: "bytes", of: (c) => c.bytes, show: (c) => bytes(c.bytes) }, { title: "used, mean", of: (c) => c.mean_utilisation, show: (c) => meter(c.mean_utilisation) },
    { title: "used, most", of: (c) => c.most_utilisation, show: (c) => meter(c.most_utilisation) }], run.fabric.classes, 8),
  table([{ title: "link", of: (l) => l.name }, { title: "bytes", of: (l) => l.bytes, show: (l) => bytes(l.bytes) },
    { title: "used", of: (l) => l.utilisation, show: (l) => meter(l.utilisation) }, { title: "lost to sharing", of: (l) => l.lost_s, show: (l) => time(l.lost_s) },
    ...(loads.size ? [{ title: "most sent by", of: sender }] : [])],
  run.fabric.links, 16));
}

function fillLinks() {
  if (run.fabric) fillFabric();
  if (!analysis || !analysis.links || !analysis.links.length) return run.fabric ? undefined : place("links").remove();
  place("links").append(table([{ title: "node", of: (l) => l.node, show: (l) => `${l.node} ${l.direction === "out" ? "→" : "←"}` },
    { title: "bytes", of: (l) => l.bytes, show: (l) => bytes(l.bytes) }, { title: "busy", of: (l) => l.busy, show: (l) => meter(l.busy) },
    { title: "transfers at once", of: (l) => l.mean_transfers, show: (l) => l.mean_transfers.toFixed(1) },
    { title: "lost to sharing", of: (l) => l.lost_s, show: (l) => time(l.lost_s) }], analysis.links, 16));
  return undefined;
}

function fillWhatIf() {
  const section = place("what-if"), rows = data.what_if && data.what_if.scenarios.filter((row) => row.time_s !== null);
  if (!rows && !(analysis && analysis.bandwidth)) return section.remove();
  if (analysis && analysis.bandwidth) section.append(bandwidthCurve(analysis.bandwidth));
  if (!rows) return undefined;
  section.append(table([{ title: "change", of: (row) => row.name }, { title: "running time", of: (row) => row.time_s, show: (row) => time(row.time_s) },
    { title: "gain", of: (row) => row.gain, show: (row) => difference(row.gain, Math.max(...rows.map((one) => Math.abs(one.gain))), signed) }], rows, 25));
  fillDerivatives(section, data.what_if.derivatives);
  return undefined;
}

function fillDerivatives(section, derivatives) {
  const names = { latency: ["latency", "s per s"], inverse_bandwidth: ["1 / bandwidth", "bytes"], overhead: ["overhead per message", "s per s"] };
  const rows = Object.keys(names).filter((key) => derivatives && derivatives[key]).map((key) => ({ name: names[key][0], unit: names[key][1], ...derivatives[key] }));
  const number = (value) => value === null ? "not checked" : String(Number(value.toPrecision(4)));
  if (!rows.length) return;
  section.append(el("h3", {}, "How the running time follows (derivatives)"), table([{ title: "to", of: (row) => row.name }, { title: "unit", of: (row) => row.unit },
    { title: "of the critical path", of: (row) => row.path, show: (row) => number(row.path) },
    { title: "as a difference", of: (row) => row.difference, show: (row) => number(row.difference) },
    { title: "use", of: (row) => row.how, show: (row) => row.how === "path" ? "the path's" : "the difference" }], rows, 3),
    note(`Where the two differ, messages share links or CPUs (${time(derivatives.inexact_s)} of the path), another path becomes the critical one, or the cluster has no such cost: ` +
      "then the difference is what a prediction gives."));
}

function fillTotals() {
  const columns = (first, key) => [first, { title: key, of: (t) => t[key], show: (t) => count(t[key]) }, { title: "time", of: (t) => t.time_s, show: (t) => time(t.time_s) },
    { title: "mean", of: (t) => t.time_s / t[key], show: (t) => time(t.time_s / t[key]) }];
  const byTime = (rows) => [...rows].sort((a, b) => b.time_s - a.time_s);
  if (run.kernels.length) place("totals").append(table(columns({ title: "kernel, over all ranks", of: (t) => t.name || "(not annotated)", show: (t) => finder(t.name || "(not annotated)") }, "steps"), byTime(run.kernels), 12));
  if (run.offloaded && run.offloaded.length) place("totals").append(table(columns({ title: "kernel, over all streams", of: (t) => t.name }, "count"), byTime(run.offloaded), 12));
  if (run.calls.length) place("totals").append(table(columns({ title: "MPI call, over all ranks", of: (t) => t.name, show: (t) => finder(t.name) }, "count"), byTime(run.calls), 12));
}

/* What mpisim-calibrate writes beside the values of a cluster file, and intervals that the file gives. */
function readCalibration(text) {
  const facts = [], values = [], path = [];
  for (const line of (text || "").split("\n")) {
    const fact = /^# (date|library|ranks|WARNING): (.*)$/.exec(line), opened = /^( *)(\w+):\s*(#.*)?$/.exec(line);
    const measured =
	/^( *)([\w.]+): (\S.*?) +# (\S.*) to (\S.*), (\d+) samples?, (\d+) outliers?; (.*)$/.exec(
	    line);
    const interval = path[0] === "uncertainty" && /^ +([\w.]+): \[(.*), (.*)\]/.exec(line);
    if (fact) facts.push(fact.slice(1));
    if (opened) path.splice(opened[1].length / 2, path.length, opened[2]);
    if (measured) values.push({ key: [...path.slice(0, measured[1].length / 2), measured[2]].join("."), value: measured[3], low: measured[4], high: measured[5],
      samples: Number(measured[6]), outliers: Number(measured[7]), how: measured[8] });
    else if (interval && !values.some((value) => value.key === interval[1])) values.push({ key: interval[1], value: "", low: interval[2], high: interval[3], how: "uncertainty" });
  }
  return { facts, values };
}

function fillCalibration() {
  const { facts, values } = readCalibration(data.cluster_text);
  const replaced = (value) => run.cluster.overrides.some((word) => word.split("=")[0] === value.key);
  place("provenance").append(el("h3", {}, "How well the cluster is known"));
  for (const [key, value] of facts) place("provenance").append(key === "WARNING" ? el("div", { className: "warning" }, `warning of the calibration: ${value}`)
    : note(`${{ date: "calibrated", library: "library", ranks: "ranks" }[key]}: ${value}`));
  if (!values.length) return place("provenance").append(note("The cluster file does not say: it has neither intervals nor numbers of samples, as mpisim-calibrate writes them."));
  return place("provenance").append(table([{ title: "value", of: (v) => v.key }, { title: "measured", of: (v) => v.value, show: (v) => replaced(v) ? `${v.value}, replaced by --set` : v.value },
    { title: "95 % interval", of: (v) => v.low, show: (v) => `${v.low} to ${v.high}` }, { title: "samples", of: (v) => v.samples || 0, show: (v) => v.samples === undefined ? "" : count(v.samples) },
    { title: "outliers", of: (v) => v.outliers || 0, show: (v) => v.outliers === undefined ? "" : count(v.outliers) }, { title: "from", of: (v) => v.how }], values, 20));
}

function fillProvenance() {
  const settings = Object.entries(run.settings).filter(([, value]) => value !== null && value !== false && value !== 0 && !(Array.isArray(value) && !value.length));
  const rows = [["mpisim", run.mpisim_version], ["cluster file", run.cluster.file], ["changed by --set", run.cluster.overrides.join(", ") || "nothing"],
    ["seed", run.seed], ...settings.map(([key, value]) => [key.replace(/_/g, " "), Array.isArray(value) ? value.join(", ") : String(value)]),
    ["the simulation took", `${time(run.simulation.cpu_s)} of CPU time, ${bytes(run.simulation.peak_memory_B)}`]];
  place("provenance").append(el("div", { className: "scroll" }, el("table", {}, el("tbody", {},
    ...rows.map(([key, value]) => el("tr", {}, el("th", { scope: "row" }, key), el("td", { style: "text-align:left;white-space:normal" }, value)))))));
  fillCalibration();
  if (data.cluster_text) place("provenance").append(el("details", {}, el("summary", {}, "cluster description"), el("pre", {}, data.cluster_text)));
}

fillHeader();
fillSummary();
const timelines = fillTimelines();
fillReasons(timelines[timelines.length - 1]);
fillCompared();
fillReal(timelines);
fillJobs();
fillEfficiency();
fillCurve();
fillPath();
fillWaits();
if (data.matrix && data.matrix.cells.length) place("matrix").append(matrix(data.matrix, timelines && timelines[timelines.length - 1])); else place("matrix").remove();
fillLinks();
fillWhatIf();
fillTotals();
fillProvenance();
for (const section of document.querySelectorAll("main > section"))
  document.querySelector("nav").append(el("a", { href: "#" + section.id }, section.querySelector("h2").textContent));
/* What is scrolled to stays clear of the sections' list, which stays on top and wraps. */
new ResizeObserver(([nav]) => { document.documentElement.style.scrollPaddingTop = nav.target.offsetHeight + "px"; }).observe(document.querySelector("nav"));
