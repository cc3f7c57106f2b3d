// Grading: the pair on screen, its answer, and what comes next.
import { get, isPage, listen, post, Refused, surely } from "./api.js";
import { all, byId, inWords, make, one, root } from "./dom.js";
import { prefetch, show } from "./pair.js";
import { Piles } from "./piles.js";
import { Slider } from "./slider.js";
import { showContradictions, showGraders, showHistory, showReport, showState } from "./views.js";

/** @typedef {import("./api.js").Pair} Pair */

const GRADES = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1];

/** Answers given sooner after a pair is shown were meant for the one before it. */
const UNSEEN_MS = 150;

let annotator = "";
let view = "grade";
/** @type {Pair[]} the pair on screen, and those after it */
let queue = [];
/** Pairs whose answers are on their way. @type {Set<string>} */
const sending = new Set();
/** Answers go one after another. @type {Promise<any>} */
let outbox = Promise.resolve();
let shownAt = performance.now();
/** @type {any} */
let state = null;
let mode = "pairs";
let question = "";

/** @param {Pair} pair */
const keyOf = (pair) => [pair.left.row, pair.right.row].sort((a, b) => a - b).join(" ");
/** @param {string} problem */
function warn(problem) {
  byId("banner").textContent = problem;
  byId("banner").hidden = !problem;
}

/** @param {unknown} error */
export function fail(error) {
  warn(error instanceof Refused ? error.message : "The program does not answer: is it still running?");
}

const slider = new Slider((grade) => answer({ grade, input: "slider" }));

// Questions

function showPair() {
  const [pair] = queue;
  show(pair);
  byId("nothing").hidden = Boolean(pair);
  byId("controls").hidden = !pair;
  byId("why").hidden = true;
  one("[data-do=why]")?.setAttribute("aria-expanded", "false");
  slider.reset();
  prefetch(queue[1]);
  shownAt = performance.now();
}

/** Take what the server says comes next. @param {Pair[]} next @param {boolean} [anew] */
function take(next, anew = false) {
  const had = queue[0] && keyOf(queue[0]);
  if (anew) queue = [];
  const known = new Set(queue.map(keyOf));
  for (const pair of next) {
    if (!known.has(keyOf(pair)) && !sending.has(keyOf(pair))) queue.push(pair);
  }
  if (!queue[0] || keyOf(queue[0]) !== had) showPair();
}

async function refill() {
  const ask = () => get("/api/next", { annotator });
  take((await surely(ask, "No pair can be shown yet", warn)).next, true);
  showPair();
}

/** @param {{grade?: number, kind?: string, input: string, swap?: boolean}} given */
function answer({ grade, kind = "graded", input, swap = false }) {
  const [pair] = queue;
  if (!pair || performance.now() - shownAt < UNSEEN_MS) return;
  queue.shift();
  const key = keyOf(pair);
  sending.add(key);
  const ends = [pair.left.row, pair.right.row];
  if (swap) ends.reverse();
  const body = {
    annotator, left: ends[0], right: ends[1], kind, grade, input,
    seconds: (performance.now() - shownAt) / 1000, key: crypto.randomUUID(),
  };
  // An answered pair must not stay on screen as if it were asked.
  if (queue.length) showPair();
  else byId("pair").replaceChildren();
  const said = kind === "graded" ? inWords(grade ?? 0) : kind;
  outbox = outbox.then(async () => {
    try {
      const receipt = await surely(() => post("/api/answer", body), "The last answer is not stored yet", warn);
      sending.delete(key);
      take(receipt.next);
      if (!queue.length) showPair();
      count(body);
      const thinks = receipt.same === null ? "" : ` The model has them in ${receipt.same ? "one cluster" : "different clusters"}.`;
      byId("last").textContent = `${pair.left.name} and ${pair.right.name}: ${said}.${thinks}`;
    } catch (error) {
      sending.delete(key);
      if (!(error instanceof Refused && error.status === 403)) fail(error);
    }
  });
}

function undo() {
  outbox = outbox.then(async () => {
    const { pair, set, next } = await post("/api/undo", { annotator });
    byId("last").textContent = pair
      ? `Taken back: ${pair.left.name} and ${pair.right.name}.`
      : "Nothing to undo.";
    take(next, true);
    showPair();
    if (set) {
      showMode("piles");
      piles.show(set.items);
    } else if (pair) showMode("pairs");
    await update();
  }).catch(fail);
}

// Piles

const piles = new Piles(sendPiles, undo);

/** @param {number[][]} sorted none for other items */
function sendPiles(sorted) {
  if (performance.now() - shownAt < UNSEEN_MS) return;
  const seconds = (performance.now() - shownAt) / 1000;
  const body = { annotator, piles: sorted, input: "piles", seconds, key: crypto.randomUUID() };
  piles.show([]);
  outbox = outbox.then(async () => {
    const { items } = await surely(() => post("/api/sort", body), "The last answer is not stored yet", warn);
    piles.show(items);
    shownAt = performance.now();
    if (sorted.length) await update();
  }).catch(fail);
}

/** @param {string} name "pairs" or "piles" */
function showMode(name) {
  mode = name;
  for (const each of ["pairs", "piles"]) {
    byId(`${each}-mode`).hidden = each !== name;
    one(`[data-mode=${each}]`)?.setAttribute("aria-pressed", String(each === name));
  }
  localStorage.setItem("mode", name);
  byId("question").textContent = name === "pairs" ? question : question.replace(/^Do these two belong/, "Which of these belong");
}

/** What people say of clusters. */
const said = {
  /** @param {number} row @param {string} name */
  name: (row, name) => post("/api/name", { annotator, row, name }).then(update).catch(fail),
  /** @param {number[]} rows */
  sort: async (rows) => {
    try {
      const { items } = await post("/api/sort-clusters", { annotator, rows });
      await go("grade");
      showMode("piles");
      piles.show(items);
      shownAt = performance.now();
    } catch (error) {
      fail(error);
    }
  },
};

/** @param {string} name */
async function chooseMode(name) {
  showMode(name);
  await outbox;
  if (name === "piles") piles.show((await get("/api/set", { annotator })).items);
  else await refill();
  shownAt = performance.now();
}

/** Count an answer before the next fit tells. @param {{kind: string, grade?: number}} body */
function count(body) {
  if (!state) return;
  const done = state.progress;
  if (body.kind === "graded" && body.grade) done.graded += 1;
  else if (body.kind === "skipped" || body.kind === "bad item") done.skipped += 1;
  else done.unsure += 1;
  showProgress();
}

function showProgress() {
  const { graded, unsure, skipped } = state.progress;
  const more = [unsure ? `${unsure} can't say` : "", skipped ? `${skipped} skipped` : ""].filter(Boolean).join(", ");
  byId("progress").textContent = `${graded} judged${more ? ` · ${more}` : ""}`;
}

// What is seen beside

async function update() {
  const ask = () => Promise.all([
    get("/api/state", { annotator }),
    view === "history" ? get("/api/history", { annotator }) : null,
    view === "graders" ? get("/api/agreement", { annotator }) : null,
  ]);
  const [now, history, agreement] = await surely(ask, "What is shown is not up to date", warn);
  state = now;
  showState(state, said);
  showProgress();
  showReport(state.report);
  showContradictions(state.contradictions, askAgain);
  if (history) showHistory(history, edit);
  if (agreement) showGraders(agreement, annotator);
}

/** @param {number} event @param {number} grade */
async function edit(event, grade) {
  try {
    await post("/api/edit", { annotator, event, grade });
    await update();
  } catch (error) {
    fail(error);
  }
}

/** @param {number} left @param {number} right */
async function askAgain(left, right) {
  try {
    const { next } = await post("/api/again", { annotator, left, right });
    take(next, true);
    await go("grade");
  } catch (error) {
    fail(error);
  }
}

/** @param {string} name */
async function go(name) {
  view = name;
  for (const section of all("main > section")) {
    /** @type {HTMLElement} */ (section).hidden = section.getAttribute("data-view") !== name;
  }
  for (const button of all("#views button")) {
    if (button.getAttribute("data-view") === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  await outbox;
  await update();
}

// Actions and keys

/** @param {string} id @returns {Promise<string>} the button that closed it */
function askDialog(id) {
  const dialog = /** @type {HTMLDialogElement} */ (byId(id));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}

/** @type {Record<string, () => any>} */
const ACTIONS = {
  skip: () => answer({ kind: "skipped", input: "key" }),
  undo,
  help: () => askDialog("help-dialog"),
  zoom: () => {
    const on = byId("page").classList.toggle("zoom");
    one("[data-do=zoom]")?.setAttribute("aria-pressed", String(on));
  },
  why: () => {
    const place = byId("why");
    place.textContent = queue[0] ? `Asked because: ${queue[0].reason}.` : "";
    place.hidden = !place.hidden;
    one("[data-do=why]")?.setAttribute("aria-expanded", String(!place.hidden));
  },
  bad: async () => {
    if (!queue[0]) return;
    byId("bad-left").textContent = `Left: ${queue[0].left.name}`;
    byId("bad-right").textContent = `Right: ${queue[0].right.name}`;
    const side = await askDialog("bad-dialog");
    if (side === "left" || side === "right") answer({ kind: "bad item", input: "key", swap: side === "right" });
  },
};

const KEYS = { s: "skip", x: "bad", z: "zoom", "?": "help", Backspace: "undo" };

/** @param {KeyboardEvent} event */
function onKey(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (one("dialog[open]") || target.closest("input, textarea, select")) return;
  const letter = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (view !== "grade" || letter !== "z" || event.shiftKey) return;
    event.preventDefault();
    undo();
    return;
  }
  if (event.altKey) return;
  if (event.key === "Escape" && byId("page").classList.contains("zoom")) ACTIONS.zoom();
  if (event.key === "?") ACTIONS.help();
  if (view !== "grade" || event.key === "?") return;
  if (letter === "p" && !event.repeat) {
    chooseMode(mode === "pairs" ? "piles" : "pairs").catch(fail);
    return;
  }
  if (mode === "piles") {
    if (target.closest("button:not(.item), a") && [" ", "Enter"].includes(event.key)) return;
    const isEarly = /^[1-9s]$/.test(event.key) && performance.now() - shownAt < UNSEEN_MS;
    if (!event.repeat && !isEarly && piles.key(event)) event.preventDefault();
    return;
  }
  // Buttons and links keep the keys that press them.
  if ((event.key === " " || event.key === "Enter") && target.closest("button, a")) return;
  if (slider.key(event)) event.preventDefault();
  else if (event.repeat) return;
  else if (event.key >= "1" && event.key <= "9") answer({ grade: GRADES[Number(event.key) - 1], input: "key" });
  else if (event.key === " ") answer({ grade: 0, input: "key" });
  else if (event.key === "Enter") slider.submit();
  else if (event.key in KEYS) ACTIONS[KEYS[/** @type {keyof typeof KEYS} */ (event.key)]]();
  else return;
  event.preventDefault();
}

/** After a click, keys are for the pair again. @param {MouseEvent} event */
function release(event) {
  const button = /** @type {HTMLElement} */ (event.target).closest("#controls button");
  if (button && event.detail) /** @type {HTMLElement} */ (button).blur();
}

async function choose() {
  const field = /** @type {HTMLInputElement} */ (byId("name-text"));
  field.value = annotator;
  const closed = await askDialog("name-dialog");
  if (closed === "save" && field.value.trim()) annotator = field.value.trim();
  if (!annotator) return choose();
  localStorage.setItem("annotator", annotator);
  byId("who").textContent = annotator;
  byId("who").setAttribute("aria-label", `Grader: ${annotator}. Change`);
}

export async function start() {
  for (const [n, grade] of GRADES.entries()) {
    const side = grade < 0 ? "unlike" : grade > 0 ? "alike" : "unsure";
    byId("keys").append(make("button", {
      type: "button", class: side, "aria-label": `${inWords(grade)}, key ${n + 1}`, title: inWords(grade),
      onclick: () => answer({ grade, input: "button" }),
    }, make("kbd", {}, String(n + 1)), make("small", {}, inWords(grade))));
  }
  root.addEventListener("keydown", /** @type {EventListener} */ (onKey));
  root.addEventListener("click", /** @type {EventListener} */ (release));
  for (const button of all("[data-do]")) {
    button.addEventListener("click", () => ACTIONS[button.getAttribute("data-do") ?? ""]());
  }
  for (const button of all("#views button")) {
    button.addEventListener("click", () => go(button.getAttribute("data-view") ?? "grade").catch(fail));
  }
  for (const button of all("[data-mode]")) {
    button.addEventListener("click", () => chooseMode(button.getAttribute("data-mode") ?? "pairs").catch(fail));
  }
  byId("open-help").addEventListener("click", ACTIONS.help);
  byId("who").addEventListener("click", async () => {
    await choose();
    await chooseMode(mode);
    await update();
  });
  byId("link").addEventListener("focus", () => /** @type {HTMLInputElement} */ (byId("link")).select());
  byId("n-clusters").addEventListener("change", async () => {
    const n = Number(/** @type {HTMLSelectElement} */ (byId("n-clusters")).value) || null;
    await post("/api/clusters", { annotator, n }).then(update).catch(fail);
  });
  byId("write-report").addEventListener("click", async () => {
    showReport({ state: "writing", folder: null });
    try {
      await outbox;
      await post("/api/report", { annotator });
    } catch (error) {
      fail(error);
    }
    await update().catch(fail);
  });
  addEventListener("resize", () => state && showState(state, said));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state && showState(state, said));
  if (!isPage()) for (const name of ["graders", "finish"]) one(`#views [data-view=${name}]`)?.remove();
  const about = await get("/api/about");
  byId("data-name").textContent = about.data;
  byId("store-name").textContent = about.store;
  question = about.question;
  byId("changes").textContent = `The data are not those that were judged: ${about.changes.join("; ")}.`;
  byId("changes").hidden = !about.changes.length;
  // In a notebook the program says who grades.
  annotator = (isPage() && localStorage.getItem("annotator")) || about.annotator;
  if (annotator) {
    byId("who").textContent = annotator;
    byId("who").setAttribute("aria-label", `Grader: ${annotator}. Change`);
  } else await choose();
  await chooseMode(localStorage.getItem("mode") === "piles" ? "piles" : "pairs");
  byId("page").dataset.ready = "yes";
  listen(() => update().catch(fail), () => warn(""));
}
