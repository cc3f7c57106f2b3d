// Several items sorted into piles: by keys, by clicks or by dragging.
import { byId, make } from "./dom.js";
import { picture } from "./pair.js";

/** @typedef {import("./api.js").Item & {cells: [string, string][]}} Whole */

const MOST = 9;

export class Piles {
  /** @param {(piles: number[][]) => void} send @param {() => void} undo */
  constructor(send, undo) {
    this.send = send;
    this.undo = undo;
    /** @type {Whole[]} */
    this.items = [];
    /** The pile of each item that was sorted, by row. @type {Map<number, number>} */
    this.pileOf = new Map();
    this.current = 0;
    byId("piles-send").addEventListener("click", () => this.submit());
    byId("piles-skip").addEventListener("click", () => this.send([]));
    byId("piles-undo").addEventListener("click", () => this.back());
  }

  /** @param {Whole[]} items */
  show(items) {
    this.items = items;
    this.pileOf.clear();
    this.current = 0;
    byId("piles-nothing").hidden = items.length > 0;
    byId("piles-controls").hidden = !items.length;
    this.draw();
  }

  draw() {
    const last = Math.max(0, ...this.pileOf.values());
    const zones = [];
    for (let pile = 1; pile <= Math.min(last + 1, MOST); pile += 1) zones.push(this.zone(pile));
    byId("unsorted").replaceChildren(...this.items.filter((item) => !this.pileOf.has(item.row)).map((item) => this.card(item)));
    byId("piles").replaceChildren(...(this.items.length ? zones : []));
    const left = this.items.length - this.pileOf.size;
    byId("piles-state").textContent = this.items.length ? `${this.pileOf.size} sorted, ${left} left` : "";
    /** @type {HTMLButtonElement} */ (byId("piles-send")).disabled = this.pileOf.size < 2;
  }

  /** @param {number} pile */
  zone(pile) {
    const inside = this.items.filter((item) => this.pileOf.get(item.row) === pile);
    const element = make("section", { class: "zone", "aria-label": `Pile ${pile}` },
      make("button", { type: "button", class: "zone-name", onclick: () => this.place(pile) },
        inside.length ? `Pile ${pile}` : "New pile", " ", make("kbd", {}, String(pile))),
      ...inside.map((item) => this.card(item)));
    this.takeDrops(element, pile);
    return element;
  }

  /** @param {HTMLElement} element @param {number} pile 0 for none */
  takeDrops(element, pile) {
    element.addEventListener("dragover", (event) => event.preventDefault());
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      const row = Number(event.dataTransfer?.getData("text/plain"));
      const at = this.items.findIndex((item) => item.row === row);
      if (at >= 0) this.place(pile, at);
    });
  }

  /** @param {Whole} item */
  card(item) {
    const at = this.items.indexOf(item);
    const isCurrent = at === this.current;
    const pile = this.pileOf.get(item.row);
    const card = make("button", {
      type: "button", class: isCurrent ? "item current" : "item", draggable: true,
      "aria-pressed": String(isCurrent), "aria-label": `${item.name}, ${pile ? `pile ${pile}` : "not sorted"}`,
      onclick: () => { this.current = at; this.draw(); },
    });
    card.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/plain", String(item.row)));
    if (item.picture) card.append(picture(item, "item"));
    card.append(make("span", { class: "item-name" }, item.name));
    if (item.text) card.append(make("span", { class: "item-text", dir: "auto" }, item.text));
    else if (!item.picture && item.cells.length) {
      card.append(make("span", { class: "item-cells" }, ...item.cells.flatMap(([name, value]) =>
        [make("span", { class: "quiet" }, name), make("span", {}, value)])));
    }
    return card;
  }

  /** Put an item into a pile, and go on to the next one that is not sorted. @param {number} pile @param {number} [at] */
  place(pile, at = this.current) {
    const item = this.items[at];
    if (!item) return;
    this.pileOf.delete(item.row);
    if (pile) this.pileOf.set(item.row, pile);
    const next = this.items.findIndex((other) => !this.pileOf.has(other.row));
    this.current = next < 0 || !pile ? at : next;
    this.draw();
    if (this.pileOf.size === this.items.length) byId("piles-send").focus();
  }

  /** Take the last item out of its pile, or take back the last answer. */
  back() {
    const last = [...this.pileOf.keys()].pop();
    if (last === undefined) this.undo();
    else this.place(0, this.items.findIndex((item) => item.row === last));
    this.current = Math.max(0, this.items.findIndex((item) => item.row === last));
    this.draw();
  }

  submit() {
    if (this.pileOf.size < 2) return;
    /** @type {Map<number, number[]>} */
    const piles = new Map();
    for (const [row, pile] of this.pileOf) piles.set(pile, [...(piles.get(pile) ?? []), row]);
    this.send([...piles.values()]);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was for the piles */
  key(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step && this.items.length) {
      this.current = (this.current + step + this.items.length) % this.items.length;
      this.draw();
    } else if (event.key >= "1" && event.key <= "9") this.place(Math.min(Number(event.key), Math.max(0, ...this.pileOf.values()) + 1));
    else if (event.key === "0" || event.key === "Delete") this.place(0);
    else if (event.key === "Backspace") this.back();
    else if (event.key === "Enter") this.submit();
    else if (event.key === "s") this.send([]);
    else return false;
    return true;
  }
}
