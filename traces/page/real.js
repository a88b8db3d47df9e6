/* A real run beside its prediction: errors by phase, function and size, and both timelines on one axis. */
const EDGES = new Set(["MPI_Init", "MPI_Init_thread", "MPI_Finalize"]);

function signed(fraction) {
  return Number.isFinite(fraction) ? (fraction > 0 ? "+" : fraction < 0 ? "−" : "") + Math.abs(100 * fraction).toFixed(1) + " %" : "–";
}
function signedTime(seconds) {
  return (seconds > 0 ? "+" : seconds < 0 ? "−" : "") + time(Math.abs(seconds));
}
/* A bar from the middle to the left (less) or right, as long as its share of the largest difference. */
function difference(amount, largest, show) {
  const share = largest > 0 ? 50 * Math.abs(amount) / largest : 0;
  const bar = el("i", { className: amount < 0 ? "less" : "more", style: `left:${amount < 0 ? 50 - share : 50}%;width:${share}%` });
  return el("td", { className: "bar" }, el("span", { className: "meter signed", "aria-hidden": "true" }, bar),
    el("span", { className: "figure" }, (show || signedTime)(amount)));
}
/*
 * Pairs {name, FIRST_s, SECOND_s} (of shares: without _s) with what they differ by; `sides`: the names FIRST and SECOND. `relative`: the title of
 * how much that is of the first.
 */
function differences(title, pairs, sides, relative, limit, more) {
  const isShare = pairs.some((pair) => pair[sides[0]] !== undefined), show = isShare ? percent : time;
  const of = (pair, side) => pair[isShare ? sides[side] : sides[side] + "_s"], off = (pair) => of(pair, 1) - of(pair, 0);
  const largest = Math.max(...pairs.map((pair) => Math.abs(off(pair)))), ratio = (pair) => of(pair, 0) > 0 ? of(pair, 1) / of(pair, 0) - 1 : NaN;
  return table([{ title, of: (pair) => pair.name },
    ...(pairs.some((pair) => pair.measured_count !== undefined) ? [{ title: "count", of: (pair) => pair.measured_count,
      show: (pair) => count(pair.measured_count) + (pair.predicted_count === pair.measured_count ? "" : ` / ${count(pair.predicted_count)}`) }] : []),
    ...sides.map((side, i) => ({ title: side, of: (pair) => of(pair, i), show: (pair) => show(of(pair, i)) })),
    { title: "difference", of: (pair) => Math.abs(off(pair)), show: (pair) => difference(off(pair), largest, isShare ? signed : signedTime) },
    ...(isShare ? [] : [{ title: relative, of: (pair) => ratio(pair) || 0, show: (pair) => signed(ratio(pair)) }]), ...(more || [])], pairs, limit);
}
function errors(title, pairs, limit, more) {
  return differences(title, pairs, ["measured", "predicted"], "error", limit, more);
}

/* Another run before this one, largest change first. */
function fillCompared() {
  const section = place("compared"), compared = run.compared, sides = ["before", "after"];
  if (!compared) return section.remove();
  const titles = { efficiency: "Efficiency", mean_rank: "Time of the mean rank", kernels: "Kernels, over all ranks", calls: "MPI calls, over all ranks",
    phases: "Phases, all of a name", reasons: "Reasons: what a run without each gains" };
  const differs = (pair) => (pair.before_s || pair.before || 0) !== (pair.after_s || pair.after || 0);
  section.querySelector("h2").textContent = `Compared with ${compared.file.split("/").pop()}`;
  section.append(el("div", { className: "cards" }, card("before", time(compared.before_s)), card("after", time(compared.after_s)),
    card("change", signed(compared.after_s / compared.before_s - 1))),
  note(`Before: ${(compared.command || []).join(" ")}` + (compared.before_ranks === run.settings.ranks ? "" : `, on ${count(compared.before_ranks)} ranks instead of ${count(run.settings.ranks)}`)));
  for (const [key, title] of Object.entries(titles)) {
    const changed = (compared[key] || []).filter(differs);
    if (changed.length) section.append(el("h3", {}, title), differences("what", changed, sides, "change", 12));
  }
  if (Object.keys(titles).every((key) => !(compared[key] || []).some(differs))) section.append(note("Nothing differs."));
  return undefined;
}
function sizeName(group) {
  if (group.least_B === null) return "no message";
  if (group.below_B === null) return "from " + bytes(group.least_B);
  return group.least_B === 0 ? "below " + bytes(group.below_B) : bytes(group.least_B) + " to " + bytes(group.below_B);
}

function fillTimelines() {
  const section = place("timeline"), beside = [];
  if (!data.timeline) return section.remove();
  if (!data.real_timeline) return [Timeline(section, data.timeline)];
  beside.push(Timeline(section, data.real_timeline, { id: "real-timeline", title: "Measured", beside, length: run.real.time_s / data.timeline.unit_s, isBare: true }));
  beside.push(Timeline(section, data.timeline, { title: "Predicted", beside, length: run.predicted_time_s / data.timeline.unit_s }));
  return beside;
}

/* Shows the phase in both timelines, each from its own begin of the phase on. */
function showButton([measured, predicted], phase) {
  const unit = data.timeline.unit_s, length = Math.max(phase.measured_s, phase.predicted_s) / unit, margin = 0.03 * length;
  return el("td", {}, el("button", { type: "button", className: "show", onclick: () => {
    Object.assign(measured, { shift: phase.measured_begin_s / unit, frame: [phase.measured_begin_s / unit, phase.measured_end_s / unit] });
    Object.assign(predicted, { shift: phase.predicted_begin_s / unit, frame: [phase.predicted_begin_s / unit, phase.predicted_end_s / unit] });
    measured.show(measured.shift - margin, measured.shift + length + margin);
    predicted.enter();
  } }, "show"));
}

function fillReal(timelines) {
  const section = place("real"), real = run.real;
  if (!real) return section.remove();
  const whole = { measured_s: real.time_s, predicted_s: run.predicted_time_s };
  const bySize = (list) => [...list].sort((a, b) => Math.abs(b.predicted_s - b.measured_s) - Math.abs(a.predicted_s - a.measured_s));
  const phases = real.phases.map((phase) => ({ ...phase }));
  const occurrences = real.occurrences.map((phase) => ({ ...phase, measured_s: phase.measured_end_s - phase.measured_begin_s,
    predicted_s: phase.predicted_end_s - phase.predicted_begin_s,
    name: real.occurrences.some((other) => other.name === phase.name && other.index > 0) ? `${phase.name} ${phase.index}` : phase.name }));
  section.append(el("div", { className: "cards" }, card("measured", time(real.time_s)), card("predicted", time(run.predicted_time_s)),
    card("error", signed(whole.measured_s > 0 ? whole.predicted_s / whole.measured_s - 1 : NaN))),
  note(`Measured: ${real.file}, from when the last rank has left MPI_Init to when the last one enters MPI_Finalize.`));
  if (occurrences.length) section.append(el("h3", {}, "Phases, from their first begin to their last end"), errors("phase", occurrences, 20,
    [{ title: "", of: (phase) => phase.measured_begin_s, show: (phase) => showButton(timelines, phase) }]));
  if (phases.length && phases.length < occurrences.length) section.append(el("h3", {}, "Phases, summed over ranks and occurrences"), errors("phase", phases, 12));
  section.append(el("h3", {}, "Computation and functions of MPI, summed over the ranks"),
    errors("what", bySize([{ ...real.computing, name: "computing" }, ...real.calls.filter((call) => !EDGES.has(call.name))]), 12),
    el("h3", {}, "Time in MPI by the size of messages"), errors("message", real.sizes.map((group) => ({ ...group, name: sizeName(group) }))),
    note((real.other_calls ? `${count(real.other_calls)} of ${count(real.other_calls + real.compared_calls)} predicted calls are not compared by size: from some point on, a rank makes other calls than it made in the real run. ` : "") +
      "The size is that of the largest message that a call's arguments, or the requests that it waits for, tell of."));
  return undefined;
}
