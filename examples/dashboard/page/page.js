"use strict";
// The page of a registry. It is told what has changed, and counts down by itself in between.

const $ = (id) => document.getElementById(id);
const list = $("circuits");
const rows = new Map(); // by connection
const visible = new Set(); // rows on the screen, which alone are kept up to date by the second
const RANK = { open: 0, held: 1, "half-open": 2, failing: 3, closed: 4 };
const byName = new Intl.Collator(undefined, { numeric: true });

let offset = 0; // the server's time minus ours
let span = 180000; // how far the strips look back
let filter = "all";
let outOfOrder = false;
let current = null; // the row that the keyboard is at

const now = () => performance.now() + offset;
/** The state as the page shows it: held open is worth a word of its own. */
const shown = (circuit) => (circuit.held ? "held" : circuit.state);
const kind = (circuit) => (circuit.state === "closed" && circuit.streak > 0 ? "failing" : shown(circuit));

// ---- words

const WORDS = { threshold: "too many failures", rate: "too large a share of failures", "cooldown over": "the cooldown is over",
  "probe succeeded": "a probe succeeded", "probe failed": "a probe failed", "lease expired": "a probe took too long",
  inconclusive: "probes said nothing", tripped: "tripped by hand", held: "held open by hand", reset: "reset by hand" };

function lasted(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
}
function ago(at) {
  const seconds = Math.floor((now() - at) / 1000);
  if (seconds < 2) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3600)} h ago`;
}
const plural = (n, one, many) => `${n.toLocaleString()} ${n === 1 ? one : many}`;

/** The change that brought the present state. What is foreseen comes later. */
function lastChange(circuit) {
  const past = circuit.changes.filter(([at]) => at <= now());
  return past[past.length - 1];
}

function why(circuit) {
  const change = lastChange(circuit);
  if (circuit.held) return change ? `held open for ${lasted(now() - change[0])}` : "held open";
  if (circuit.state === "closed") {
    if (circuit.streak > 0) return `${plural(circuit.streak, "failure", "failures")} in a row`;
    return change && now() - change[0] < 30000 ? `closed ${ago(change[0])}: ${WORDS[change[2]] ?? change[2]}` : "";
  }
  if (!change) return "";
  return `${circuit.state === "open" ? "down" : "half-open"} for ${lasted(now() - outageStart(circuit))}: ${WORDS[change[2]] ?? change[2]}`;
}

/** When the circuit left the closed state: a failed probe does not begin a new outage. */
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
    if (isIntersecting) { visible.add(target.row); tick(target.row); } else visible.delete(target.row);
  }
}, { rootMargin: "200px" });

function makeRow(connection) {
  const element = $("row").content.firstElementChild.cloneNode(true);
  const part = (name) => element.querySelector(name);
  const row = { element, connection, circuit: null, state: part(".state b"), why: part(".why"), retry: part(".retry"), bar: part(".bar"),
    fill: part(".bar i"), in: part(".in"), streak: part(".streak"), failure: part(".failure"), answer: part(".answer"), strip: part(".strip"),
    reset: part(".reset"), hold: part(".hold") };
  element.row = row;
  part(".name").textContent = connection;
  row.reset.setAttribute("aria-label", `reset ${connection}`);
  row.hold.setAttribute("aria-label", `hold open ${connection}`);
  row.reset.onclick = () => act(row, "reset");
  row.hold.onclick = () => act(row, "hold-open");
  onScreen.observe(element);
  return row;
}

function update(row, circuit) {
  const before = row.circuit;
  row.circuit = circuit;
  row.element.dataset.state = shown(circuit);
  row.element.dataset.kind = kind(circuit);
  row.state.textContent = circuit.held ? "held open" : circuit.state;
  row.reset.setAttribute("aria-disabled", circuit.state === "closed" && circuit.streak === 0);
  row.hold.setAttribute("aria-disabled", circuit.held);
  showStreak(row);
  if (!before || kind(before) !== kind(circuit)) outOfOrder = true;
  if (before && shown(before) !== shown(circuit)) $("announcer").textContent = `${row.connection} is ${row.state.textContent}`;
  if (visible.has(row)) tick(row);
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

/** All that changes by waiting. */
function tick(row) {
  const { circuit } = row;
  setText(row.why, why(circuit));
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
    setText(row.in, circuit.held ? "until it is reset" : circuit.state === "half-open" ? "the next call is the probe" : `next try in ${Math.max(0, Math.ceil(left / 1000))} s`);
  }
  showLast(row.failure, circuit.lastFailure, "a failure");
  showLast(row.answer, circuit.lastAnswer, "an answer");
  drawStrip(row);
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function showLast(element, last, unnamed) {
  const what = last ? last.operation ?? last.error ?? unnamed : "–";
  const more = last ? [last.operation && last.error, ago(last.at)].filter(Boolean).join(", ") : "";
  if (element.said === what + more) return;
  element.said = what + more;
  element.classList.toggle("none", !last);
  const small = document.createElement("small");
  small.textContent = more;
  element.replaceChildren(what, small);
}

/** A skyline: the higher, the worse, so that it reads without its colours. */
function drawStrip(row) {
  const { circuit } = row;
  const end = now();
  const start = end - span;
  const segments = [];
  let state = circuit.changes.length ? "closed" : shown(circuit);
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
  row.strip.setAttribute("aria-label", down < 500 ? "closed for the last three minutes" : `not closed for ${lasted(down)} of the last three minutes`);
}

// ---- the whole page

function summarize() {
  const count = { all: rows.size, open: 0, held: 0, "half-open": 0, failing: 0, closed: 0 };
  const total = { opened: 0, failed: 0, rejected: 0, refused: 0 };
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

function sift() {
  let any = false;
  for (const row of rows.values()) {
    const match = matches(row);
    if (row.element.hidden === match) row.element.hidden = !match;
    any ||= match;
  }
  $("nothing").hidden = any || rows.size === 0;
}

/** Those in trouble first. Nothing moves under a pointer that is at a button. */
function order() {
  if (!outOfOrder || list.querySelector("button:hover")) return;
  outOfOrder = false;
  const sorted = [...rows.values()].sort((a, b) => RANK[kind(a.circuit)] - RANK[kind(b.circuit)] || byName.compare(a.connection, b.connection));
  const focused = document.activeElement;
  let next = list.firstElementChild;
  for (const { element } of sorted) {
    if (element === next) next = next.nextElementSibling; else list.insertBefore(element, next);
  }
  if (focused !== document.activeElement && list.contains(focused)) focused.focus({ preventScroll: true });
  if (!current) moveTo(list.querySelector(".circuit:not([hidden])"), false);
}

function writeLog() {
  const past = [];
  for (const { connection, circuit } of rows.values()) {
    for (const change of circuit.changes) if (change[0] <= now()) past.push([connection, ...change]);
  }
  past.sort((a, b) => b[1] - a[1]);
  $("log").replaceChildren(...past.slice(0, 12).map(([connection, at, state, reason, operation]) => {
    const entry = document.createElement("li");
    const time = document.createElement("time");
    time.textContent = ago(at);
    const what = document.createElement("span");
    const name = document.createElement("b");
    name.append(Object.assign(document.createElement("bdi"), { textContent: connection }));
    const verb = Object.assign(document.createElement("span"), { className: state, textContent: { open: "opened", closed: "closed", "half-open": "half-open" }[state] });
    const cause = Object.assign(document.createElement("small"), { textContent: `${WORDS[reason] ?? reason}${operation ? `, in ${operation}` : ""}` });
    what.append(name, " ", verb, ": ", cause);
    entry.append(time, what);
    return entry;
  }));
  document.querySelector(".log").hidden = past.length === 0;
}

// ---- the line to the server

function read(news) {
  offset = news.now - performance.now();
  span = news.window;
  for (const connection of news.gone) {
    const row = rows.get(connection);
    onScreen.unobserve(row.element);
    visible.delete(row);
    row.element.remove();
    rows.delete(connection);
    if (current === row.element) current = null;
  }
  for (const circuit of news.changed) {
    let row = rows.get(circuit.connection);
    if (!row) { row = makeRow(circuit.connection); rows.set(circuit.connection, row); outOfOrder = true; }
    update(row, circuit);
  }
  if (news.changed.length || news.gone.length) { summarize(); sift(); }
  order();
}

function listen() {
  const source = new EventSource("news");
  const say = (live, words) => { $("line").dataset.live = live; setText($("line"), words); };
  let fresh = true;
  // After a break everything is told again, and what went meanwhile must not stay.
  source.onopen = () => { fresh = true; say("yes", "live"); };
  source.onerror = () => say("no", "the program does not answer; trying again");
  source.onmessage = ({ data }) => {
    const news = JSON.parse(data);
    if (fresh) {
      const there = new Set(news.changed.map(({ connection }) => connection));
      news.gone = [...rows.keys()].filter((connection) => !there.has(connection));
      fresh = false;
    }
    read(news);
  };
}

async function act(row, action) {
  const button = action === "reset" ? row.reset : row.hold;
  if (button.getAttribute("aria-disabled") === "true") return;
  const answer = await fetch(action, { method: "POST", body: row.connection }).catch(() => null);
  if (!answer?.ok) $("announcer").textContent = `could not ${action} ${row.connection}`;
}

// ---- keyboard and filters

function moveTo(element, focus = true) {
  if (!element) return;
  const tabbable = (row, index) => { row.tabIndex = index; for (const button of row.querySelectorAll("button")) button.tabIndex = index; };
  if (current) tabbable(current, -1);
  current = element;
  tabbable(current, 0);
  if (focus) { current.focus({ preventScroll: true }); current.scrollIntoView({ block: "nearest" }); }
}

function neighbour(element, step) {
  do element = element?.[step]; while (element?.hidden);
  return element;
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const search = $("search");
  if (event.target === search) {
    if (event.key === "Escape") { search.value = ""; sift(); search.blur(); }
    if (event.key === "Enter" || event.key === "ArrowDown") { event.preventDefault(); moveTo(list.querySelector(".circuit:not([hidden])")); }
    return;
  }
  const row = event.target.closest?.(".circuit");
  const keys = {
    "/": () => search.focus(),
    ArrowDown: () => moveTo(row ? neighbour(row, "nextElementSibling") : current),
    ArrowUp: () => moveTo(row ? neighbour(row, "previousElementSibling") : current),
    r: () => row && act(row.row, "reset"),
    h: () => row && act(row.row, "hold-open"),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
list.addEventListener("focusin", (event) => {
  const element = event.target.closest(".circuit");
  if (element && element !== current) moveTo(element, false);
});
$("search").addEventListener("input", sift);
for (const button of document.querySelectorAll("[data-filter]")) {
  button.onclick = () => {
    filter = button.dataset.filter;
    for (const other of document.querySelectorAll("[data-filter]")) other.setAttribute("aria-pressed", other === button);
    sift();
  };
}

setInterval(() => { for (const row of visible) tick(row); }, 250);
setInterval(() => { order(); writeLog(); }, 1000);
listen();
