/* What ranks did, from packed numbers; which rows show whom, in which order; who waited for whom. */
const COMPUTING = 0, COMMUNICATING = 1, WAITING = 2;

/* Varints in base64: 7 bits a byte, least first. `signed`: 0, -1, 1, -2, … */
class Numbers {
  constructor(text) {
    const decoded = atob(text || "");
    this.bytes = new Uint8Array(decoded.length);
    for (let i = 0; i < decoded.length; i++) this.bytes[i] = decoded.charCodeAt(i);
    this.at = 0;
  }
  next() {
    let byte = this.bytes[this.at++], value = byte & 127, factor = 128;
    while (byte > 127) {
      byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      factor *= 128;
    }
    return value;
  }
  signed() {
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

/* The first index from `low` on, before `high`, whose value is above `value`; the array is sorted there. */
function above(sorted, value, low, high) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > value) high = middle; else low = middle + 1;
  }
  return low;
}

/* Begin, end and kind of each rank's intervals: those of rank r are first[r] … first[r + 1] - 1. */
function unpackIntervals(source) {
  const n = source.n_intervals, from = new Numbers(source.intervals);
  const found = { first: new Int32Array(source.ranks + 1), begin: new Float64Array(n), end: new Float64Array(n), kind: new Int32Array(n), part: null };
  for (let rank = 0, i = 0; rank < source.ranks; rank++) {
    const count = from.next();
    for (let k = 0, at = 0; k < count; k++, i++) {
      found.kind[i] = from.next();
      found.begin[i] = at += from.signed();
      found.end[i] = at += from.next();
    }
    found.first[rank + 1] = i;
  }
  return found;
}

/* The raster's rows in the same form: three for each column, each with its part of the column. */
function unpackRaster({ cells, width }) {
  const n = cells.reduce((sum, text) => sum + text.length, 0);
  const found = { first: new Int32Array(cells.length + 1), begin: new Float64Array(n), end: new Float64Array(n), kind: new Int32Array(n), part: new Float32Array(n) };
  for (let row = 0, i = 0; row < cells.length; row++) {
    for (let k = 0; k < cells[row].length; k++) {
      const share = (cells[row].charCodeAt(k) - 48) / 63;
      if (share === 0) continue;
      found.begin[i] = Math.floor(k / 3) * width;
      found.end[i] = found.begin[i] + width;
      found.kind[i] = k % 3;
      found.part[i++] = share;
    }
    found.first[row + 1] = i;
  }
  return found;
}

function unpackMessages(source) {
  const n = source.n_messages, from = new Numbers(source.messages);
  const found = { n, source: new Int32Array(n), dest: new Int32Array(n), sent: new Float64Array(n), started: new Float64Array(n),
    received: new Float64Array(n), size: new Float64Array(n) };
  for (let i = 0, source = 0, dest = 0, sent = 0; i < n; i++) {
    found.source[i] = source += from.signed();
    found.dest[i] = dest += from.signed();
    found.sent[i] = sent += from.signed();
    found.started[i] = sent + from.signed();
    found.received[i] = sent + from.signed();
    found.size[i] = from.next();
  }
  return found;
}

/* "0-7, 12, node 3" as a test of a rank and its node; null where it is not written so. */
function rankFilter(text) {
  const wanted = [];
  for (const item of text.split(",").map((part) => part.trim()).filter(Boolean)) {
    const found = /^(?:ranks? *|(nodes?) *)?(\d+)(?: *[-–] *(\d+))?$/.exec(item);
    if (!found) return null;
    wanted.push([Boolean(found[1]), Number(found[2]), Number(found[3] || found[2])]);
  }
  return (rank, node) => !wanted.length || wanted.some(([isNode, low, high]) => (isNode ? node : rank) >= low && (isNode ? node : rank) <= high);
}

/*
 * Rows of ranks. Where intervals are not kept one by one, the raster's rows are the least that can be told apart: `step` ranks.
 * rows: [{title, ranks: [begin, end of a list in `order`]}].
 */
function Lanes(source) {
  const intervals = source.complete ? unpackIntervals(source) : unpackRaster(source.raster), messages = unpackMessages(source), step = source.complete ? 1 : source.ranks_per_row;
  const units = Math.ceil(source.ranks / step), node = run.ranks.node || [], jobOf = new Int32Array(source.ranks).fill(-1);
  const sums = [0, 1, 2].map(() => new Float64Array(units)), last = new Float64Array(units), computing = new Float64Array(source.kinds.length);
  (run.jobs || []).forEach((job, number) => jobOf.fill(number, job.first_rank, job.first_rank + job.ranks));
  const self = { source, intervals, messages, step, order: [], starts: [0], titles: [], rowOf: new Int32Array(source.ranks), unit: "rank", arrange, causeOf, path };

  function sumUp({ first, begin, end, kind, part }) {
    for (let unit = 0; unit < units; unit++)
      for (let i = first[unit]; i < first[unit + 1]; i++) {
        const length = (end[i] - begin[i]) * (part ? part[i] : 1), activity = kind[i] % 3;
        sums[activity][unit] += length;
        last[unit] = end[i];
        if (activity === COMPUTING && source.complete) computing[(kind[i] - COMPUTING) / 3] += length;
      }
  }
  sumUp(intervals);
  /* Sites of computation, longest first. */
  self.kernels = Array.from(computing.keys()).filter((site) => computing[site] > 0).sort((a, b) => computing[b] - computing[a]);

  const groupOf = { "": null, node: (rank) => node[rank], job: (rank) => jobOf[rank] };
  const keyOf = { rank: null, computing: sums[0], communicating: sums[1], waiting: sums[2], end: last };
  /* Who is shown: `wants` of a rank and its node. In which order; a row for each rank, node or job. */
  function arrange(wants, sort, group) {
    const key = keyOf[sort], byGroup = groupOf[group], groups = new Map();
    let shown = Array.from({ length: units }, (_, i) => i);
    if (wants) shown = shown.filter((unit) => { for (let rank = unit * step; rank < Math.min(source.ranks, (unit + 1) * step); rank++) if (wants(rank, node[rank])) return true; return false; });
    if (key) shown.sort((a, b) => key[b] - key[a] || a - b);
    for (const unit of shown) {
      const name = byGroup ? byGroup(unit * step) : unit;
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(unit);
    }
    let rows = [...groups];
    if (key && byGroup) {
      const mean = new Map(rows.map(([name, members]) => [name, members.reduce((sum, unit) => sum + key[unit], 0) / members.length]));
      rows.sort((a, b) => mean.get(b[0]) - mean.get(a[0]));
    }
    self.unit = group || "rank";
    self.order = Int32Array.from(rows.flatMap(([, members]) => members));
    self.starts = [0];
    self.titles = rows.map(([name, members]) => group === "job" ? (name < 0 ? "no job" : run.jobs[name].name) : String(group ? name : members[0] * step));
    self.rowOf.fill(-1);
    rows.forEach(([, members], row) => {
      self.starts.push(self.starts[row] + members.length);
      for (const unit of members) self.rowOf.fill(row, unit * step, Math.min(source.ranks, (unit + 1) * step));
    });
    self.rowAt = new Int32Array(self.order.length);
    rows.forEach((_, row) => self.rowAt.fill(row, self.starts[row], self.starts[row + 1]));
    self.n = rows.length;
  }

  /* Numbers of the messages of each rank, by `time`: put in order when they are first asked for. */
  function indexed(rankOf, time) {
    const first = new Int32Array(source.ranks + 1), list = new Int32Array(messages.n), at = new Int32Array(source.ranks);
    for (let i = 0; i < messages.n; i++) first[rankOf[i] + 1]++;
    for (let rank = 0; rank < source.ranks; rank++) first[rank + 1] += first[rank];
    for (let i = 0; i < messages.n; i++) list[first[rankOf[i]] + at[rankOf[i]]++] = i;
    return (rank) => {
      const own = list.subarray(first[rank], first[rank + 1]);
      if (at[rank]) own.sort((a, b) => time[a] - time[b]);
      at[rank] = 0;
      return own;
    };
  }
  let received = null, sent = null;
  /* The call that the interval is of: it may be in two parts, waiting and communicating. */
  function callBegin(rank, i) {
    const before = i - 1;
    return before >= intervals.first[rank] && intervals.kind[i] % 3 === COMMUNICATING && intervals.end[before] === intervals.begin[i] &&
      intervals.kind[before] === intervals.kind[i] + 1 ? intervals.begin[before] : intervals.begin[i];
  }
  /* What ended the rank's call `i`, as seen at `until`: {message, rank, at}, where to go on; null: nobody else did. */
  function causeOf(rank, i, until) {
    const begin = callBegin(rank, i), slack = 1;
    received = received || indexed(messages.dest, messages.received);
    sent = sent || indexed(messages.source, messages.sent);
    const incoming = received(rank), outgoing = sent(rank);
    let low = 0, high = incoming.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (messages.received[incoming[middle]] > until + slack) high = middle; else low = middle + 1;
    }
    const message = low > 0 ? incoming[low - 1] : -1;
    if (message >= 0 && messages.received[message] > begin && (messages.started[message] < begin || messages.sent[message] > begin))
      return { message, rank: messages.source[message], at: messages.sent[message] };
    if (message >= 0 && messages.received[message] > begin) return null; /* it was here late itself */
    for (let k = outgoing.length - 1, found = -1; k >= 0; k--) {
      const one = outgoing[k];
      if (messages.sent[one] < begin - slack && found >= 0) break;
      if (messages.sent[one] <= until && messages.started[one] > begin + slack && messages.started[one] <= until && messages.started[one] > messages.sent[one] + slack)
        return { message: one, rank: messages.dest[one], at: messages.started[one] };
      if (outgoing.length - k > 64) break;
    }
    return null;
  }
  /* The chain that took the whole time, from its end back: [[rank, begin, rank, end]], each a stretch of a rank or a message. */
  function path() {
    const steps = [];
    let rank = 0, at = 0;
    for (let one = 0; one < source.ranks; one++) if (last[one] > at) [rank, at] = [one, last[one]];
    while (at > 0 && steps.length < 500000) {
      const first = intervals.first[rank], i = above(intervals.begin, at - 0.5, first, intervals.first[rank + 1]) - 1;
      if (i < first) break;
      const cause = intervals.kind[i] % 3 === COMPUTING ? null : causeOf(rank, i, at), begin = cause ? cause.at : callBegin(rank, i);
      if (cause && begin < at) {
        steps.push([cause.rank, begin, rank, at, cause.message]);
        [rank, at] = [cause.rank, begin];
      } else {
        steps.push([rank, Math.min(begin, at - 1), rank, at, -1]);
        at = Math.min(begin, at - 1);
      }
    }
    return steps.reverse();
  }
  arrange(null, "rank", "");
  return self;
}
