/*
 * A row for each call: below the call before it on its rank, below those that its messages come from, and the calls of a collective side by
 * side. A message goes to the call that completed the receive.
 */
function layOut(graph) {
  const calls = graph.calls, n = calls.length, node = new Int32Array(n), next = [], row = new Int32Array(n);
  const completedBy = new Map(graph.requests), last = new Map(), above = [];
  for (let i = 0; i < n; i++) node[i] = i;
  for (const group of graph.collectives) for (const i of group.calls) node[i] = group.calls[0];
  const order = (from, to) => {
    if (node[from] === node[to]) return;
    (next[node[from]] = next[node[from]] || []).push(node[to]);
    above[node[to]] = (above[node[to]] || 0) + 1;
  };
  calls.forEach((call, i) => {
    call.index = i;
    call.before = last.has(call.rank) ? last.get(call.rank) : -1;
    if (call.before >= 0) order(call.before, i);
    last.set(call.rank, i);
  });
  for (const message of graph.messages)
    message.done = completedBy.has(message.receive) ? completedBy.get(message.receive) : message.receive;
  /* Calls that send and receive at once may stand side by side. */
  const receivers = new Set(graph.messages.map((message) => message.done));
  for (const message of graph.messages) if (!receivers.has(message.send)) order(message.send, message.done);
  const ready = [], seen = new Uint8Array(n);
  const take = (i) => { if (!seen[i]) { seen[i] = 1; ready.push(i); } };
  for (let i = 0; i < n; i++) if (node[i] === i && !above[i]) take(i);
  for (let k = 0, first = 0; ; k++) {
    /* Collectives as one may stand in a circle: then the earliest goes on. */
    while (k === ready.length && first < n) { if (node[first] === first) take(first); first++; }
    if (k === ready.length) break;
    for (const to of next[ready[k]] || []) {
      if (!seen[to]) row[to] = Math.max(row[to], row[ready[k]] + 1);
      if (--above[to] === 0) take(to);
    }
  }
  let rows = 0;
  for (let i = 0; i < n; i++) { calls[i].row = row[node[i]]; rows = Math.max(rows, calls[i].row + 1); }
  return rows;
}

/* "0-3,7" as a test of ranks; null: it is none. */
function rankTest(text) {
  const parts = text.trim() ? text.split(",").map((part) => part.trim().match(/^(\d+)(?:-(\d+))?$/)) : [];
  if (parts.some((part) => !part)) return null;
  return (rank) => !parts.length || parts.some((part) => rank >= Number(part[1]) && rank <= Number(part[2] || part[1]));
}
