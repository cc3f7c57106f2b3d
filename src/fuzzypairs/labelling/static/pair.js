// Two items side by side: pictures, texts, cells, with their differences marked.
import { load } from "./api.js";
import { byId, make } from "./dom.js";

/** @typedef {import("./api.js").Pair} Pair */
/** @typedef {import("./api.js").Item} Item */

/** @param {Item} item @param {string} side */
export function picture(item, side) {
  const image = /** @type {HTMLImageElement} */ (make("img", {
    alt: `${side}: ${item.name}`, draggable: false,
  }));
  // Small pictures are shown by their pixels.
  const mark = () => image.classList.toggle("pixels", image.naturalWidth > 0 && image.naturalWidth <= 64);
  image.addEventListener("load", mark);
  load(image, item.row);
  mark();
  return image;
}

/** @param {import("./api.js").Piece[]} pieces */
function marked(pieces) {
  return make("p", { class: "text", dir: "auto" }, ...pieces.map(([text, isMarked]) => (isMarked ? make("mark", {}, text) : text)));
}

/** @param {Pair} pair @returns {HTMLElement[]} */
function build(pair) {
  const parts = [];
  if (pair.left.picture) {
    parts.push(make("div", { class: "halves" },
      ...[pair.left, pair.right].map((item, n) => make("figure", {},
        picture(item, n ? "right" : "left"), make("figcaption", {}, item.name)))));
  }
  if (pair.texts) {
    const shared = pair.texts.marked === "shared";
    parts.push(make("div", { class: shared ? "halves shared" : "halves" },
      make("article", { "aria-label": `left: ${pair.left.name}` }, make("p", { class: "item-name" }, pair.left.name), marked(pair.texts.left)),
      make("article", { "aria-label": `right: ${pair.right.name}` }, make("p", { class: "item-name" }, pair.right.name), marked(pair.texts.right))));
    parts.push(make("p", { class: "quiet marked-what" }, shared ? "Marked: words in both texts." : "Marked: what differs."));
  }
  if (pair.cells.length) {
    const rows = pair.cells.map((cell) => {
      const words = ["", "differs", "differs much"][cell.differs];
      const row = make("tr", { class: ["same", "some", "much"][cell.differs], title: words },
        make("th", { scope: "row" }, cell.column), make("td", {}, cell.left), make("td", {}, cell.right));
      return row;
    });
    const cells = make("table", { class: "cells" },
      make("thead", {}, make("tr", {}, make("td"),
        make("th", { scope: "col" }, pair.left.name), make("th", { scope: "col" }, pair.right.name))),
      make("tbody", {}, ...rows));
    // Beside a text, cells are for those who ask for them.
    parts.push(pair.texts ? make("details", {}, make("summary", {}, `Other columns (${rows.length})`), cells) : cells);
  }
  return parts;
}

/** @param {Pair | undefined} pair */
export function show(pair) {
  const place = byId("pair");
  place.replaceChildren(...(pair ? build(pair) : []));
  place.scrollTop = 0;
  place.hidden = !pair;
  // A box that scrolls must be reached by keys.
  if (place.scrollHeight > place.clientHeight) {
    place.tabIndex = 0;
    place.setAttribute("role", "region");
    place.setAttribute("aria-label", "The pair");
  } else {
    place.removeAttribute("tabindex");
    place.removeAttribute("role");
    place.removeAttribute("aria-label");
  }
}

/** @param {Pair | undefined} pair */
export function prefetch(pair) {
  if (pair?.left.picture) {
    for (const item of [pair.left, pair.right]) load(new Image(), item.row);
  }
}
