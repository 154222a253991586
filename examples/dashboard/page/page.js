"use strict";
// The page of a registry. The server sends what has changed; between two messages the page updates times and countdowns itself.

const $ = (id) => document.getElementById(id);
const list = $("circuits");
const rows = new Map(); // all rows, by connection
const visible = new Set(); // the rows on the screen; only these are refreshed between two messages
const SORT_RANK = { open: 0, held: 1, "half-open": 2, failing: 3, closed: 4 };
const byName = new Intl.Collator(undefined, { numeric: true });

let offset = 0; // the time of the server minus that of the page
let span = 180000; // the time window of the strips in milliseconds
let filter = "all";
let outOfOrder = false;
let current = null; // the row that has the keyboard's focus or had it last

const now = () => performance.now() + offset;
/** The state as the page shows it, with a circuit that is held open as a state of its own. */
const displayState = (circuit) => (circuit.held ? "held" : circuit.state);
/** The group by which rows are filtered and sorted: a closed circuit with a streak is `failing`. */
const kind = (circuit) => (circuit.state === "closed" && circuit.streak > 0 ? "failing" : displayState(circuit));

// ---- texts

const REASON_TEXTS = {
  threshold: "too many failures",
  rate: "the failure rate is too high",
  "cooldown over": "the cooldown is over",
  "probe succeeded": "a probe succeeded",
  "probe failed": "a probe failed",
  "lease expired": "a probe took too long",
  inconclusive: "probes were inconclusive",
  tripped: "tripped by hand",
  held: "held open by hand",
  reset: "reset by hand",
  "fleet opened": "another process opened it",
  "fleet closed": "another process closed it",
  "fleet probes": "another process probes it",
  "fleet forgot": "the fleet no longer knows it",
  "over capacity": "the registry is over its capacity",
};
const reasonText = (reason) => REASON_TEXTS[reason] ?? reason;

function formatDuration(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
}
function formatAge(at) {
  const seconds = Math.floor((now() - at) / 1000);
  if (seconds < 2) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3600)} h ago`;
}
const plural = (n, one, many) => `${n.toLocaleString()} ${n === 1 ? one : many}`;

/** The change that led to the present state. Later entries are scheduled, such as the end of a cooldown. */
function lastChange(circuit) {
  const past = circuit.changes.filter(([at]) => at <= now());
  return past[past.length - 1];
}

function explanation(circuit) {
  const change = lastChange(circuit);
  if (circuit.held) return change ? `held open for ${formatDuration(now() - change[0])}` : "held open";
  if (circuit.state === "closed") {
    if (circuit.streak > 0) return `${plural(circuit.streak, "failure", "failures")} in a row`;
    return change && now() - change[0] < 30000 ? `closed ${formatAge(change[0])}: ${reasonText(change[2])}` : "";
  }
  if (!change) return "";
  return `${circuit.state === "open" ? "down" : "half-open"} for ${formatDuration(now() - outageStart(circuit))}: ${reasonText(change[2])}`;
}

/** When the circuit left the closed state. A failed probe continues the same outage. */
function outageStart(circuit) {
  const past = circuit.changes.filter(([at]) => at <= now());
  let start = past[past.length - 1][0];
  for (const [at, state] of past.reverse()) {
    if (state === "closed" || (circuit.state === "half-open" && state !== "half-open")) break;
    start = at;
  }
  return start;
}

// ---- one row

const onScreen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) { visible.add(target.row); refreshRow(target.row); } else visible.delete(target.row);
  }
}, { rootMargin: "200px" });

function makeRow(connection) {
  const element = $("row").content.firstElementChild.cloneNode(true);
  const part = (name) => element.querySelector(name);
  const row = { element, connection, circuit: null, state: part(".state b"), explanation: part(".explanation"), retry: part(".retry"), bar: part(".bar"),
    fill: part(".bar i"), countdown: part(".countdown"), streak: part(".streak"), failure: part(".failure"), answer: part(".answer"), strip: part(".strip"),
    reset: part(".reset"), hold: part(".hold") };
  element.row = row;
  part(".name").textContent = connection;
  row.reset.setAttribute("aria-label", `reset ${connection}`);
  row.hold.setAttribute("aria-label", `hold open ${connection}`);
  row.reset.onclick = () => sendAction(row, "reset");
  row.hold.onclick = () => sendAction(row, "hold-open");
  onScreen.observe(element);
  return row;
}

function updateRow(row, circuit) {
  const before = row.circuit;
  row.circuit = circuit;
  row.element.dataset.state = displayState(circuit);
  row.element.dataset.kind = kind(circuit);
  row.state.textContent = circuit.held ? "held open" : circuit.state;
  row.reset.setAttribute("aria-disabled", circuit.state === "closed" && circuit.streak === 0);
  row.hold.setAttribute("aria-disabled", circuit.held);
  showStreak(row);
  if (!before || kind(before) !== kind(circuit)) outOfOrder = true;
  if (before && displayState(before) !== displayState(circuit)) $("announcer").textContent = `${row.connection} is ${row.state.textContent}`;
  if (visible.has(row)) refreshRow(row);
}

function showStreak(row) {
  const { streak } = row.circuit;
  row.streak.classList.toggle("none", streak === 0);
  row.streak.replaceChildren(streak === 0 ? "–" : plural(streak, "failure", "failures"));
  if (streak > 0) {
    const pips = document.createElement("span");
    pips.className = "pips";
    for (let pip = 0; pip < Math.min(streak, 7); pip++) pips.append(document.createElement("i"));
    row.streak.append(pips);
  }
}

/** Refreshes the texts and drawings that depend on the present time. */
function refreshRow(row) {
  const { circuit } = row;
  setText(row.explanation, explanation(circuit));
  const left = circuit.retryAt === null ? 0 : circuit.retryAt - now();
  const down = circuit.state !== "closed";
  row.retry.hidden = !down;
  if (down) {
    row.bar.hidden = circuit.held || circuit.state === "half-open";
    if (!row.bar.hidden) {
      const began = lastChange(circuit)?.[0] ?? now();
      const share = Math.min(1, Math.max(0, left / Math.max(1, circuit.retryAt - began)));
      row.fill.style.transform = `scaleX(${share.toFixed(3)})`;
    }
    setText(row.countdown, circuit.held ? "until it is reset" : circuit.state === "half-open" ? "the next call is the probe" : `next try in ${Math.max(0, Math.ceil(left / 1000))} s`);
  }
  showLast(row.failure, circuit.lastFailure, "a failure");
  showLast(row.answer, circuit.lastAnswer, "an answer");
  drawStrip(row);
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function showLast(element, last, fallback) {
  const what = last ? last.operation ?? last.error ?? fallback : "–";
  const more = last ? [last.operation && last.error, formatAge(last.at)].filter(Boolean).join(", ") : "";
  if (element.shownText === what + more) return;
  element.shownText = what + more;
  element.classList.toggle("none", !last);
  const small = document.createElement("small");
  small.textContent = more;
  element.replaceChildren(what, small);
}

/** Draws the recent states as bars. The height also shows the state, so that the strip is readable without its colours. */
function drawStrip(row) {
  const { circuit } = row;
  const end = now();
  const start = end - span;
  const segments = [];
  let state = circuit.changes.length ? "closed" : displayState(circuit);
  let from = start;
  for (const [at, next, reason] of circuit.changes) {
    if (at > end) break;
    if (at > start) segments.push([from, at, state]);
    from = Math.max(at, start);
    state = reason === "held" ? "held" : next;
  }
  segments.push([from, end, state]);
  const drawn = segments.map(([a, b, s]) => `${Math.round((a - start) / 500)}-${Math.round((b - start) / 500)}${s}`).join();
  if (row.drawn === drawn) return;
  row.drawn = drawn;
  row.strip.replaceChildren(...segments.map(([a, b, s]) => {
    const height = { closed: 3, "half-open": 10, open: 20, held: 20 }[s];
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const x = ((a - start) / span) * 180;
    for (const [name, value] of Object.entries({ x, y: 20 - height, width: Math.max(0.4, ((b - a) / span) * 180), height, class: s })) {
      rect.setAttribute(name, value);
    }
    return rect;
  }));
  const down = segments.filter(([, , s]) => s !== "closed").reduce((sum, [a, b]) => sum + b - a, 0);
  row.strip.setAttribute("aria-label", down < 500 ? "closed for the last three minutes" : `not closed for ${formatDuration(down)} of the last three minutes`);
}

// ---- the whole page

function summarize() {
  const count = { all: rows.size, open: 0, held: 0, "half-open": 0, failing: 0, closed: 0 };
  const total = { opened: 0, failed: 0, rejected: 0, marked: 0 };
  for (const { circuit } of rows.values()) {
    count[kind(circuit)]++;
    for (const name in total) total[name] += circuit[name];
  }
  count.open += count.held;
  count.closed += count.failing;
  for (const button of document.querySelectorAll("[data-filter]")) setText(button.lastElementChild, count[button.dataset.filter].toLocaleString());
  for (const name in total) setText(document.querySelector(`[data-total=${name}]`), total[name].toLocaleString());
  const down = document.createElement("em");
  down.textContent = `${count.open.toLocaleString()} of ${plural(count.all, "connection", "connections")}`;
  const headline = count.open ? [down, count.open === 1 ? " is down" : " are down"]
    : [rows.size > 1 ? `All ${count.all.toLocaleString()} connections are up` : rows.size ? "The one connection is up" : "No circuits yet"];
  if (count["half-open"]) headline.push(`, ${count["half-open"].toLocaleString()} half-open`);
  const text = headline.map((part) => part.textContent ?? part).join("");
  if ($("headline").textContent !== text) $("headline").replaceChildren(...headline);
  document.title = count.open ? `(${count.open}) Circuits` : "Circuits";
}

function matches({ circuit, connection }) {
  const kindOf = kind(circuit);
  const inFilter = filter === "all" || filter === kindOf || (filter === "open" && circuit.held) || (filter === "closed" && kindOf === "failing");
  return inFilter && connection.toLowerCase().includes($("search").value.trim().toLowerCase());
}

function applyFilter() {
  let any = false;
  for (const row of rows.values()) {
    const match = matches(row);
    if (row.element.hidden === match) row.element.hidden = !match;
    any ||= match;
  }
  $("no-match").hidden = any || rows.size === 0;
}

/** Sorts rows, with open circuits first. Waits while the pointer is on a button, so that a click does not reach another row. */
function sortRows() {
  if (!outOfOrder || list.querySelector("button:hover")) return;
  outOfOrder = false;
  const sorted = [...rows.values()].sort((a, b) => SORT_RANK[kind(a.circuit)] - SORT_RANK[kind(b.circuit)] || byName.compare(a.connection, b.connection));
  const focused = document.activeElement;
  let next = list.firstElementChild;
  for (const { element } of sorted) {
    if (element === next) next = next.nextElementSibling; else list.insertBefore(element, next);
  }
  if (focused !== document.activeElement && list.contains(focused)) focused.focus({ preventScroll: true });
  if (!current) focusRow(list.querySelector(".circuit:not([hidden])"), false);
}

function refreshLog() {
  const past = [];
  for (const { connection, circuit } of rows.values()) {
    for (const change of circuit.changes) if (change[0] <= now()) past.push([connection, ...change]);
  }
  past.sort((a, b) => b[1] - a[1]);
  $("log").replaceChildren(...past.slice(0, 12).map(([connection, at, state, reason, operation]) => {
    const entry = document.createElement("li");
    const time = document.createElement("time");
    time.textContent = formatAge(at);
    const what = document.createElement("span");
    const name = document.createElement("b");
    name.append(Object.assign(document.createElement("bdi"), { textContent: connection }));
    const verb = Object.assign(document.createElement("span"), { className: state, textContent: { open: "opened", closed: "closed", "half-open": "half-open" }[state] });
    const cause = Object.assign(document.createElement("small"), { textContent: `${reasonText(reason)}${operation ? `, in ${operation}` : ""}` });
    what.append(name, " ", verb, ": ", cause);
    entry.append(time, what);
    return entry;
  }));
  document.querySelector(".log").hidden = past.length === 0;
}

// ---- messages from and to the server

function applyUpdate(update) {
  offset = update.now - performance.now();
  span = update.window;
  for (const connection of update.removed) {
    const row = rows.get(connection);
    onScreen.unobserve(row.element);
    visible.delete(row);
    row.element.remove();
    rows.delete(connection);
    if (current === row.element) current = null;
  }
  for (const circuit of update.changed) {
    let row = rows.get(circuit.connection);
    if (!row) { row = makeRow(circuit.connection); rows.set(circuit.connection, row); outOfOrder = true; }
    updateRow(row, circuit);
  }
  if (update.changed.length || update.removed.length) { summarize(); applyFilter(); }
  sortRows();
}

function connect() {
  const source = new EventSource("updates");
  const showStatus = (live, text) => { $("status").dataset.live = live; setText($("status"), text); };
  let isFirst = true;
  source.onopen = () => { isFirst = true; showStatus("yes", "live"); };
  source.onerror = () => showStatus("no", "the server does not answer; reconnecting");
  source.onmessage = ({ data }) => {
    const update = JSON.parse(data);
    // The first message of a connection lists all circuits, so rows that it does not list were removed during a break.
    if (isFirst) {
      const existing = new Set(update.changed.map(({ connection }) => connection));
      update.removed = [...rows.keys()].filter((connection) => !existing.has(connection));
      isFirst = false;
    }
    applyUpdate(update);
  };
}

async function sendAction(row, action) {
  const button = action === "reset" ? row.reset : row.hold;
  if (button.getAttribute("aria-disabled") === "true") return;
  const answer = await fetch(action, { method: "POST", body: row.connection }).catch(() => null);
  if (!answer?.ok) $("announcer").textContent = `${action} failed for ${row.connection}`;
}

// ---- keyboard and filters

function focusRow(element, focus = true) {
  if (!element) return;
  const tabbable = (row, index) => { row.tabIndex = index; for (const button of row.querySelectorAll("button")) button.tabIndex = index; };
  if (current) tabbable(current, -1);
  current = element;
  tabbable(current, 0);
  if (focus) { current.focus({ preventScroll: true }); current.scrollIntoView({ block: "nearest" }); }
}

function adjacentRow(element, step) {
  do element = element?.[step]; while (element?.hidden);
  return element;
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const search = $("search");
  if (event.target === search) {
    if (event.key === "Escape") { search.value = ""; applyFilter(); search.blur(); }
    if (event.key === "Enter" || event.key === "ArrowDown") { event.preventDefault(); focusRow(list.querySelector(".circuit:not([hidden])")); }
    return;
  }
  const row = event.target.closest?.(".circuit");
  const keys = {
    "/": () => search.focus(),
    ArrowDown: () => focusRow(row ? adjacentRow(row, "nextElementSibling") : current),
    ArrowUp: () => focusRow(row ? adjacentRow(row, "previousElementSibling") : current),
    r: () => row && sendAction(row.row, "reset"),
    h: () => row && sendAction(row.row, "hold-open"),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
list.addEventListener("focusin", (event) => {
  const element = event.target.closest(".circuit");
  if (element && element !== current) focusRow(element, false);
});
$("search").addEventListener("input", applyFilter);
for (const button of document.querySelectorAll("[data-filter]")) {
  button.onclick = () => {
    filter = button.dataset.filter;
    for (const other of document.querySelectorAll("[data-filter]")) other.setAttribute("aria-pressed", other === button);
    applyFilter();
  };
}

setInterval(() => { for (const row of visible) refreshRow(row); }, 250);
setInterval(() => { sortRows(); refreshLog(); }, 1000);
connect();
