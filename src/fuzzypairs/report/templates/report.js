"use strict";
// Rows of tables can be searched, sorted and filtered; rows of maps are named on a
// click. Everything is built with textContent: data never become markup.
(() => {
  const PAGE = 50;

  function make(tag, parent, text, properties) {
    const element = document.createElement(tag);
    element.textContent = text;
    Object.assign(element, properties);
    parent.append(element);
    return element;
  }

  function enhance(box) {
    const table = box.querySelector("table");
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const rows = [...body.rows].map((element) => {
      const cells = [...element.cells].map((cell) => cell.textContent);
      return { element, cells, text: cells.join("\n").toLowerCase() };
    });
    const order = new Intl.Collator(undefined, { numeric: true });
    const filters = new Map();
    let shown = rows;
    let page = 0;

    const controls = document.createElement("div");
    controls.className = "controls";
    const search = make("input", make("label", controls, "Search"), "", { type: "search" });
    heads.forEach((head, column) => {
      if (!head.hasAttribute("data-filter")) return;
      const words = new Set(rows.flatMap((row) => row.cells[column].split(", ")));
      words.delete("");
      const label = make("label", controls, head.textContent);
      const select = make("select", label, "");
      make("option", select, "all", { value: "" });
      for (const word of [...words].sort(order.compare).slice(0, 200)) {
        make("option", select, word, { value: word });
      }
      select.addEventListener("change", () => {
        filters.set(column, select.value);
        update();
      });
    });
    const back = make("button", controls, "Previous", { type: "button" });
    const next = make("button", controls, "Next", { type: "button" });
    const count = make("output", controls, "");
    box.querySelector(".scroll").before(controls);

    function draw() {
      const first = page * PAGE;
      const part = shown.slice(first, first + PAGE);
      body.replaceChildren(...part.map((row) => row.element));
      const last = first + part.length;
      const number = (n) => n.toLocaleString("en");
      count.textContent = part.length
        ? `${number(first + 1)} to ${number(last)} of ${number(shown.length)} rows`
        : "no rows";
      back.disabled = page === 0;
      next.disabled = last >= shown.length;
    }

    function update() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = [...filters].filter(([, value]) => value);
      shown = rows.filter(
        (row) =>
          words.every((word) => row.text.includes(word)) &&
          wanted.every(([column, value]) => row.cells[column].split(", ").includes(value)),
      );
      page = 0;
      draw();
    }

    heads.forEach((head, column) => {
      const name = head.textContent;
      head.textContent = "";
      const button = make("button", head, name, { type: "button" });
      const isNumber = head.classList.contains("number");
      const numbers = new Map();
      const value = (row) => {
        if (!numbers.has(row)) {
          numbers.set(row, Number.parseFloat(row.cells[column].replace(/,/g, "")));
        }
        return numbers.get(row);
      };
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const sign = down ? -1 : 1;
        rows.sort((one, other) => {
          const gap = isNumber ? value(one) - value(other) : NaN;
          return (
            sign *
            (Number.isNaN(gap) ? order.compare(one.cells[column], other.cells[column]) : gap)
          );
        });
        update();
      });
    });
    search.addEventListener("input", update);
    back.addEventListener("click", () => { page -= 1; draw(); });
    next.addEventListener("click", () => { page += 1; draw(); });
    draw();
    box.open = true;
  }

  document.querySelectorAll("details.rows").forEach(enhance);
  for (const figure of document.querySelectorAll("figure:has(.row)")) {
    const named = document.createElement("output");
    named.className = "named";
    figure.querySelector(".scroll").after(named);
    figure.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      named.textContent = row ? row.querySelector("title").textContent : "";
    });
  }
})();
