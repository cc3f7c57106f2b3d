// Clusters, history, graders and the end: what is read beside the grading.
import { byId, inWords, make, root, table } from "./dom.js";
import { drawCurve, drawMap } from "./drawings.js";
import { picture } from "./pair.js";

const GRADES = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1];

/** An item in a line of text: its picture, the beginning of its text, or its name. @param {any} item */
function small(item) {
  if (item.picture) return make("span", { class: "small" }, picture(item, "item"), item.name);
  return make("span", { class: "small" }, item.text ? `“${item.text}”` : item.name);
}

/** @param {any[]} items */
function both([left, right]) {
  return make("div", { class: "both" }, small(left), small(right));
}

/** Clusters by mark, colour and number. @param {any[]} clusters */
function legend(clusters) {
  return clusters.map((cluster) => {
    const mark = make("span", { class: "mark", "aria-hidden": "true" }, cluster.mark);
    mark.style.color = cluster.color;
    return make("span", {}, mark, ` ${cluster.name || cluster.number} (${cluster.size})`);
  });
}

/** @param {any} state @param {{name: (row: number, name: string) => void, sort: (rows: number[]) => void}} said of clusters */
export function showState(state, said) {
  for (const size of ["small", "large"]) {
    drawMap(/** @type {HTMLCanvasElement} */ (byId(`${size}-map`)), state.map, state.clusters);
    drawCurve(byId(`${size}-curve`), state.curve, state.verdict[0]);
    byId(`${size}-legend`).replaceChildren(...legend(state.clusters));
  }
  const n = state.curve.at(-1)?.n ?? 0;
  byId("fit-line").textContent = state.problem
    ? `The last fit failed: ${state.problem}`
    : state.map ? `${state.clusters.length} clusters, by ${n} judgement${n === 1 ? "" : "s"}${state.fitting ? "; a newer one is being fitted" : ""}.` : "The first model is being fitted …";
  showNumber(state.n_clusters);
  byId("small-verdict").replaceChildren(...verdict(state.verdict.slice(0, 1)));
  for (const place of ["large", "finish"]) byId(`${place}-verdict`).replaceChildren(...verdict(state.verdict));
  // What is being written or marked is not drawn anew.
  if (byId("cards").contains(root.activeElement) && root.activeElement?.matches("input")) return;
  byId("cards").replaceChildren(...state.clusters.map((/** @type {any} */ cluster) => card(cluster, said)));
  const marks = () => /** @type {HTMLInputElement[]} */ ([...byId("cards").querySelectorAll("input:checked")]);
  const merge = /** @type {HTMLButtonElement} */ (byId("merge"));
  merge.disabled = true;
  merge.onclick = () => said.sort(marks().map((mark) => Number(mark.value)));
  byId("cards").onchange = () => { merge.disabled = marks().length !== 2; };
}

/** What held-out judgements say, as the program words it. @param {string[]} sentences */
function verdict(sentences) {
  return sentences.map((sentence, n) => make("p", n ? { class: "quiet" } : {}, sentence));
}

/** The number of clusters in use, and those that can be asked for. @param {any} n */
function showNumber(n) {
  const choice = /** @type {HTMLSelectElement} */ (byId("n-clusters"));
  choice.replaceChildren(make("option", { value: "" }, n.asked || !n.used ? "by the judgements" : `by the judgements: ${n.used}`));
  for (let k = 2; k <= Math.max(n.most, n.asked ?? 0); k += 1) choice.append(make("option", { value: String(k) }, `at most ${k}`));
  choice.value = n.asked ? String(n.asked) : "";
  byId("n-clusters-why").textContent = n.why;
}

/** @param {any} cluster @param {{name: (row: number, name: string) => void, sort: (rows: number[]) => void}} said */
function card(cluster, said) {
  const [first] = cluster.typical;
  const title = `Cluster ${cluster.number}`;
  const name = /** @type {HTMLInputElement} */ (make("input", { value: cluster.name, maxLength: 60, placeholder: "name it", "aria-label": `Name of cluster ${cluster.number}` }));
  name.addEventListener("change", () => said.name(first.row, name.value));
  name.addEventListener("keydown", (event) => event.key === "Enter" && name.blur());
  const element = make("article", { class: "card" },
    make("h3", {}, `${cluster.mark} ${title} `, name),
    make("p", { class: "actions" },
      make("label", {}, make("input", { type: "checkbox", value: String(first.row), "aria-label": `Mark cluster ${cluster.number}` }), " mark"),
      make("button", { type: "button", "aria-label": `${title} is two`, onclick: () => said.sort([first.row]) }, "This one is two …")),
    make("p", { class: "quiet" }, `${cluster.size} items, mean certainty ${cluster.certainty.toFixed(2)}`));
  element.style.setProperty("--tone", cluster.color);
  if (cluster.typical.some((/** @type {any} */ item) => item.picture)) {
    element.append(make("div", { class: "thumbs" },
      ...cluster.typical.map((/** @type {any} */ item) => picture(item, "typical"))));
  }
  const texts = cluster.typical.filter((/** @type {any} */ item) => item.text);
  const names = cluster.typical.map((/** @type {any} */ item) => item.name).join(", ");
  if (cluster.words.length) element.append(make("p", {}, `Words that set it apart: ${cluster.words.join(", ")}`));
  if (texts.length) element.append(make("ul", {}, ...texts.map((/** @type {any} */ item) => make("li", { dir: "auto" }, item.text))));
  else if (names) element.append(make("p", {}, `Typical: ${names}`));
  if (cluster.traits.length && !cluster.typical[0]?.picture) {
    element.append(make("table", {},
      make("thead", {}, make("tr", {}, ...["sets it apart", "here", "elsewhere"].map((head) => make("th", { scope: "col" }, head)))),
      make("tbody", {}, ...cluster.traits.map((/** @type {string[]} */ [name, here, elsewhere]) =>
        make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, here), make("td", {}, elsewhere))))));
  }
  return element;
}

/**
 * @param {any[]} contradictions
 * @param {(left: number, right: number) => void} again
 */
export function showContradictions(contradictions, again) {
  const place = byId("contradictions");
  if (!contradictions.length) {
    place.replaceChildren(make("p", { class: "quiet" }, "None of your judgements contradict each other."));
    return;
  }
  place.replaceChildren(make("ul", { class: "rows" }, ...contradictions.map(({ items, grades }) => {
    const names = items.map((/** @type {any} */ item) => item.name);
    const ends = [[0, 1], [1, 2], [0, 2]];
    return make("li", {},
      make("p", {}, `You said that ${names[0]} and ${names[1]} are ${inWords(grades[0])}, ${names[1]} and ${names[2]} ${inWords(grades[1])}, but ${names[0]} and ${names[2]} ${inWords(grades[2])}.`),
      ...(items[0].picture || items[0].text ? [make("div", { class: "both" }, ...items.map(small))] : []),
      make("div", { class: "actions" }, ...ends.map(([a, b]) => make("button", {
        type: "button", onclick: () => again(items[a].row, items[b].row),
      }, `Ask me again: ${names[a]} and ${names[b]}`))));
  })));
}

/** @param {string} time */
function clock(time) {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/**
 * @param {any[]} answers
 * @param {(event: number, grade: number) => void} edit
 */
export function showHistory(answers, edit) {
  const place = byId("history");
  if (!answers.length) {
    place.replaceChildren(make("p", {}, "You have not answered yet."));
    return;
  }
  const rows = answers.map((answer) => {
    if (answer.piles) {
      const shown = answer.piles.map((/** @type {any[]} */ pile, /** @type {number} */ n) =>
        make("div", { class: "both" }, make("b", {}, `Pile ${n + 1}`), ...pile.map(small)));
      return [make("div", {}, ...shown), "sorted into piles", answer.edited ? "edited" : "", "", clock(answer.time)];
    }
    const names = `${answer.left.name} and ${answer.right.name}`;
    const choice = /** @type {HTMLSelectElement} */ (make("select", { "aria-label": `Grade of ${names}` }));
    const grades = answer.grade === null || GRADES.includes(answer.grade) ? GRADES : [...GRADES, answer.grade].sort((a, b) => a - b);
    if (answer.grade === null) choice.append(make("option", { value: "", selected: true }, answer.kind));
    for (const grade of grades) {
      choice.append(make("option", { value: String(grade), selected: grade === answer.grade }, inWords(grade) + (GRADES.includes(grade) ? "" : ` (${grade})`)));
    }
    choice.addEventListener("change", () => choice.value && edit(answer.event, Number(choice.value)));
    const broken = answer.broken ? make("span", { class: "is-broken" }, "violated") : answer.broken === false ? "satisfied" : "";
    return [both([answer.left, answer.right]), choice, answer.edited ? "edited" : "", broken, clock(answer.time)];
  });
  place.replaceChildren(table("Your answers, the newest first", ["pair", "answer", "changed", "clusters", "time"], rows));
}

/** @param {any} found @param {string} own */
export function showGraders(found, own) {
  const number = (/** @type {number | null} */ value, digits = 2) => (value === null ? "–" : value.toFixed(digits));
  const parts = [];
  if (found.alpha === null) {
    parts.push(make("p", {}, "No pair has been graded by two people yet. Give another grader the address below; some of your pairs will be asked again there."));
  } else {
    parts.push(make("p", { class: "big" }, `α = ${number(found.alpha)}`),
      make("p", {}, `Krippendorff's alpha for grades, from ${found.n_shared} pairs that at least two people graded; 95 % interval ${number(found.interval[0])} to ${number(found.interval[1])}. 1 is full agreement, 0 is chance; above 0.8 is good, below 0.67 means that graders have different questions in mind.`));
  }
  if (found.graders.length) {
    parts.push(make("h3", {}, "Graders"), table("Graders", ["grader", "answers", "shared pairs", "bias", "noise", "repeats", "own change"],
      found.graders.map((/** @type {any} */ g) => [g.name, String(g.n_answers), String(g.n_shared), number(g.bias), number(g.noise), String(g.n_repeats), number(g.repeat_gap)])),
    make("p", { class: "quiet" }, "Bias: how much more together than the others. Noise: standard deviation of a grade. Own change: mean difference between two own grades of a pair."));
  }
  if (found.programs.length) {
    parts.push(make("h3", {}, "Programs beside people"), ...found.programs.map((/** @type {string} */ said) => make("p", {}, `${said}.`)));
  }
  if (found.disputes.length) {
    parts.push(make("h3", {}, "Most disputed pairs that you graded"), table("Disputes", ["pair", "grades"],
      found.disputes.map((/** @type {any} */ d) => [both(d.items),
        Object.entries(d.grades).map(([who, grade]) => `${who === own ? "you" : who} ${inWords(Number(grade))} (${Number(grade).toFixed(2)})`).join(", ")])));
  }
  if (found.notes.length) {
    parts.push(make("h3", {}, "Answers of programs without a grade"), table("Answers without a grade", ["pair", "program", "what it said"],
      found.notes.map((/** @type {any} */ n) => [both([n.left, n.right]), n.annotator, n.note])));
  }
  byId("graders").replaceChildren(...parts);
  const field = /** @type {HTMLInputElement} */ (byId("link"));
  field.value = `${location.origin}/?token=${found.token}`;
  byId("link-reach").textContent = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname)
    ? "on this machine; start the program with --host to let others in." : "";
}

/** @param {{state: string, folder: string | null}} report */
export function showReport(report) {
  const place = byId("report-state");
  if (report.state === "writing") place.textContent = "Fitting all judgements and writing the report …";
  else if (report.state === "written") {
    const link = (/** @type {string} */ name, /** @type {string} */ text) => make("a", { href: `/report/${name}`, target: "_blank", rel: "noopener" }, text);
    place.replaceChildren("Written to ", make("code", {}, report.folder ?? ""), ": ", link("report.html", "read the report"), ", ",
      link("memberships.csv", "memberships"), ", ", link("summary.json", "summary"), ", ", link("model.skops", "model"), ".");
  } else place.textContent = report.state;
}
