// A slider without a handle until it is touched, and without ticks, which would pull
// grades towards them.
import { byId, inWords } from "./dom.js";

const STEP = 0.05;
const LEAP = 0.25;

export class Slider {
  /** @param {(grade: number) => void} send */
  constructor(send) {
    this.element = byId("slider");
    this.handle = /** @type {HTMLElement} */ (this.element.querySelector(".handle"));
    this.word = byId("slider-word");
    this.button = /** @type {HTMLButtonElement} */ (byId("slider-send"));
    this.send = send;
    /** @type {number | null} */
    this.value = null;
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      this.point(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) this.point(event);
    });
    this.button.addEventListener("click", () => this.submit());
  }

  /** @param {PointerEvent} event */
  point(event) {
    const box = this.element.getBoundingClientRect();
    const margin = 11;
    const share = (event.clientX - box.left - margin) / (box.width - 2 * margin);
    this.set(2 * share - 1);
  }

  /** @param {number} value */
  set(value) {
    const rounded = Math.round(Math.max(-1, Math.min(1, value)) / STEP) * STEP;
    this.value = Number(rounded.toFixed(2)) || 0;
    this.element.classList.remove("untouched");
    this.handle.style.left = `calc(.7rem + (100% - 1.4rem) * ${(this.value + 1) / 2})`;
    this.element.setAttribute("aria-valuenow", String(this.value));
    this.element.setAttribute("aria-valuetext", `${inWords(this.value)}, ${this.value.toFixed(2)}`);
    this.word.textContent = inWords(this.value);
    this.button.disabled = false;
  }

  reset() {
    this.value = null;
    this.element.classList.add("untouched");
    this.element.setAttribute("aria-valuenow", "0");
    this.element.setAttribute("aria-valuetext", "not set");
    this.word.textContent = "";
    this.button.disabled = true;
  }

  submit() {
    if (this.value !== null) this.send(this.value);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was for the slider */
  key(event) {
    const size = event.shiftKey ? LEAP : STEP;
    const now = this.value ?? 0;
    if (event.key === "ArrowLeft" || event.key === "ArrowDown") this.set(now - size);
    else if (event.key === "ArrowRight" || event.key === "ArrowUp") this.set(now + size);
    else if (event.key === "Home") this.set(-1);
    else if (event.key === "End") this.set(1);
    else return false;
    return true;
  }
}
