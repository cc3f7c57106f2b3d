// The page inside a notebook, in a part of its own: requests go through the widget.

/** @typedef {import("./api.js").Way} Way */

/**
 * Requests by messages of a widget.
 * @param {any} model
 * @returns {Way}
 */
function wayOf(model) {
  let last = 0;
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map();
  /** @type {(() => void)[]} */
  const listeners = [];
  model.on("msg:custom", (/** @type {any} */ message, /** @type {DataView[]} */ [data]) => {
    if (message.changed) listeners.forEach((changed) => changed());
    else waiting.get(message.id)?.({ ...message, data });
    waiting.delete(message.id);
  });
  const ask = (/** @type {string} */ path, /** @type {object} */ body) => new Promise((resolve) => {
    last += 1;
    waiting.set(last, resolve);
    model.send({ id: last, path, body: body ?? null });
  });
  return {
    isPage: false,
    ask: async (path, body) => {
      const { status, data } = await ask(path, /** @type {object} */ (body));
      return { status, text: new TextDecoder().decode(data) };
    },
    load: async (image, path) => {
      const { status, data, type } = await ask(path, /** @type {any} */ (null));
      if (status !== 200) return;
      const url = URL.createObjectURL(new Blob([data], { type }));
      image.addEventListener("load", () => URL.revokeObjectURL(url), { once: true });
      image.src = url;
    },
    listen: (changed, opened) => {
      listeners.push(changed);
      opened();
    },
  };
}

/**
 * Modules import each other by name; here each is a text with an address of its own.
 * @param {Record<string, string>} texts
 * @returns {(name: string) => Promise<any>}
 */
function importer(texts) {
  /** @type {Map<string, string>} */
  const urls = new Map();
  const urlOf = (/** @type {string} */ name) => {
    if (!urls.has(name)) {
      const text = texts[name].replace(/from "\.\/(\w+\.js)"/g, (_, other) => `from "${urlOf(other)}"`);
      urls.set(name, URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    }
    return /** @type {string} */ (urls.get(name));
  };
  return (name) => import(urlOf(name));
}

/** @param {{model: any, el: HTMLElement}} widget */
async function render({ model, el }) {
  // Keys are for the page, not for the notebook around it.
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  const files = model.get("_files");
  const place = el.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = files["page.css"];
  const content = document.createElement("template");
  content.innerHTML = files["page.html"];
  place.append(style, content.content);
  const load = importer(files);
  (await load("dom.js")).mount(place);
  (await load("api.js")).take(wayOf(model));
  const { start, fail } = await load("page.js");
  await start().catch(fail);
}

export default { render };
