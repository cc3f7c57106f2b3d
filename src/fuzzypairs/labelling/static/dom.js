// Elements by name and by code. Text from data is only ever set as text.

/** What holds the page: the document, or its part of a notebook. @type {Document | ShadowRoot} */
export let root = document;

/** @param {ShadowRoot} place */
export function mount(place) {
  root = place;
}

/** @param {string} selector */
export const one = (selector) => root.querySelector(selector);

/** @param {string} selector */
export const all = (selector) => root.querySelectorAll(selector);

/**
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const found = root.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return /** @type {T} */ (found);
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties] `class` and names with a dash are attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class" || name === "scope" || name.includes("-")) {
      element.setAttribute(name, value);
    } else {
      // @ts-ignore: any property of any element
      element[name] = value;
    }
  }
  element.append(...children);
  return element;
}

/**
 * A table in a box that scrolls.
 * @param {string} caption
 * @param {string[]} heads
 * @param {(Node | string)[][]} rows the first cell of each names it
 */
export function table(caption, heads, rows) {
  const body = rows.map(([first, ...rest]) => make("tr", {},
    make("th", { scope: "row" }, first), ...rest.map((cell) => make("td", {}, cell))));
  return make("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    make("table", {},
      make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
      make("tbody", {}, ...body)));
}

/** @param {number} grade */
export function inWords(grade) {
  if (grade === 0) return "can't say";
  const size = Math.abs(grade);
  const how = size >= 0.9 ? "clearly" : size >= 0.65 ? "very likely" : size >= 0.4 ? "likely" : size >= 0.2 ? "perhaps" : "leaning";
  return `${how} ${grade > 0 ? "together" : "apart"}`;
}
