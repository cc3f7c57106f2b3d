// The map of items on a canvas, and the curve of agreement as SVG.

import { byId } from "./dom.js";

/** @param {string} name */
const color = (name) => getComputedStyle(byId("page")).getPropertyValue(name).trim();

/**
 * One shape for each cluster, so that colour is not needed to tell them apart.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} kind
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
function shape(pen, kind, x, y, r) {
  pen.beginPath();
  if (kind === 0) pen.arc(x, y, r, 0, 2 * Math.PI);
  else if (kind === 1) pen.rect(x - 0.85 * r, y - 0.85 * r, 1.7 * r, 1.7 * r);
  else if (kind === 5 || kind === 6) {
    const turn = kind === 6 ? Math.PI / 4 : 0;
    for (let n = 0; n < 12; n += 1) {
      const angle = turn + (Math.floor(n / 3) * Math.PI) / 2 + [-0.32, 0.32, Math.PI / 4][n % 3];
      const size = n % 3 === 2 ? 0.45 * r : 1.15 * r;
      pen.lineTo(x + size * Math.cos(angle), y + size * Math.sin(angle));
    }
  } else {
    const corners = kind === 3 ? 4 : 3;
    const turn = kind === 4 ? Math.PI / 2 : -Math.PI / 2;
    for (let n = 0; n < corners; n += 1) {
      const angle = turn + (2 * Math.PI * n) / corners;
      pen.lineTo(x + 1.2 * r * Math.cos(angle), y + 1.2 * r * Math.sin(angle));
    }
  }
  pen.closePath();
  pen.fill();
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {any} map
 * @param {any[]} clusters
 */
export function drawMap(canvas, map, clusters) {
  const scale = window.devicePixelRatio || 1;
  const { width, height } = canvas.getBoundingClientRect();
  if (!width) return;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.scale(scale, scale);
  pen.clearRect(0, 0, width, height);
  if (!map) {
    pen.fillStyle = color("--quiet");
    pen.font = "14px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.fillText("The first model is being fitted …", width / 2, height / 2);
    return;
  }
  const n = map.x.length;
  const span = (/** @type {number[]} */ values) => [Math.min(...values), Math.max(...values)];
  const [[left, right], [low, high]] = [span(map.x), span(map.y)];
  const pad = 14;
  const place = (/** @type {number} */ k) => [
    pad + ((map.x[k] - left) / (right - left || 1)) * (width - 2 * pad),
    height - pad - ((map.y[k] - low) / (high - low || 1)) * (height - 2 * pad),
  ];
  const radius = Math.max(2, Math.min(5, 60 / Math.sqrt(n)));
  const colors = Object.fromEntries(clusters.map((cluster) => [cluster.number, cluster.color]));
  for (let k = 0; k < n; k += 1) {
    const [x, y] = place(k);
    pen.fillStyle = colors[map.cluster[k]];
    pen.globalAlpha = 0.25 + 0.7 * map.sure[k];
    shape(pen, map.cluster[k] % 7, x, y, radius);
  }
  // Violated judgements last, above all others.
  const lines = [...map.lines].sort((a, b) => Number(a[3]) - Number(b[3]));
  for (const [a, b, grade, broken] of lines) {
    const [[x1, y1], [x2, y2]] = [place(a), place(b)];
    pen.globalAlpha = broken ? 0.95 : 0.3 + 0.4 * Math.abs(grade);
    pen.strokeStyle = color(broken ? "--broken" : grade > 0 ? "--alike" : "--quiet");
    pen.lineWidth = broken ? 2.6 : 1.2;
    pen.setLineDash(grade > 0 ? [] : [4, 4]);
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  }
  pen.globalAlpha = 1;
  pen.setLineDash([]);
  const broken = lines.filter((line) => line[3]).length;
  const n_clusters = new Set(map.cluster).size;
  const some = n < map.n_rows ? `${n} of ${map.n_rows}` : `${n}`;
  canvas.setAttribute("aria-label",
    `Map of ${some} items in ${n_clusters} clusters with ${lines.length} of your judgements, ${broken} of them violated`);
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} [text] */
function svg(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/** @typedef {{n: number, share: number | null, low: number, high: number, without: number | null}} Point */

/**
 * Agreement by the number of judgements, with its interval, beside chance.
 * @param {HTMLElement} place
 * @param {Point[]} curve
 * @param {string} said the same in words
 */
export function drawCurve(place, curve, said) {
  const known = curve.filter((point) => point.share !== null);
  const [width, height, left, bottom, top] = [320, 190, 48, 28, 12];
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img" });
  const most = Math.max(10, ...curve.map((point) => point.n));
  const at = (/** @type {number} */ n, /** @type {number} */ share) =>
    `${(left + (n / most) * (width - left - 12)).toFixed(1)} ${(height - bottom - share * (height - bottom - top)).toFixed(1)}`;
  for (const share of [0, 0.5, 1]) {
    const [, y] = at(0, share).split(" ");
    picture.append(svg("line", { x1: left, x2: width - 12, y1: y, y2: y, class: "axis" }));
    picture.append(svg("text", { x: left - 5, y: Number(y) + 4, "text-anchor": "end" }, `${100 * share} %`));
    if (share === 0.5) picture.append(svg("text", { x: width - 12, y: Number(y) + 13, "text-anchor": "end" }, "chance"));
  }
  const line = (/** @type {string[]} */ points) => `M${points.join("L")}`;
  const last = known.at(-1);
  if (last) {
    const band = [...known.map((p) => at(p.n, p.high)), ...known.map((p) => at(p.n, p.low)).reverse()];
    picture.append(svg("path", { d: `${line(band)}Z`, class: "band" }));
    const without = known.filter((p) => p.without !== null);
    if (without.length) picture.append(svg("path", { d: line(without.map((p) => at(p.n, p.without ?? 0))), class: "unguided" }));
    picture.append(svg("path", { d: line(known.map((p) => at(p.n, p.share ?? 0))), class: "guided" }));
    const [x, y] = at(last.n, last.share ?? 0).split(" ");
    picture.append(svg("circle", { cx: x, cy: y, r: 4, class: "dot" }));
    picture.append(svg("text", { x: left + 4, y: height - 9 }, "— with judgements, - - without"));
    picture.append(svg("text", { x: width - 12, y: height - 9, "text-anchor": "end" }, `${most} judged`));
  } else {
    const [x, y] = at(most / 2, 0.7).split(" ");
    picture.append(svg("text", { x, y, "text-anchor": "middle" }, "known after some judgements"));
  }
  picture.setAttribute("aria-label", said || "Agreement is not known yet");
  place.replaceChildren(picture);
}
