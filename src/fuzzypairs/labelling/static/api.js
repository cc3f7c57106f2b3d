// Requests to the program behind this page. Nothing else is ever asked.

/** @typedef {{row: number, name: string, picture: boolean, text: string}} Item */
/** @typedef {{column: string, left: string, right: string, differs: number}} Cell */
/** @typedef {[string, boolean]} Piece */
/**
 * @typedef {object} Pair
 * @property {Item} left
 * @property {Item} right
 * @property {Cell[]} cells
 * @property {{left: Piece[], right: Piece[], marked: string} | null} texts
 * @property {string} reason
 * @property {string} strategy
 */

export class Refused extends Error {
  /** @param {number} status @param {string} reason */
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

/**
 * How requests reach the program: by HTTP, or through a notebook.
 * @typedef {object} Way
 * @property {boolean} isPage whether this is a page of its own
 * @property {(path: string, body?: object) => Promise<{status: number, text: string}>} ask with a body to write
 * @property {(image: HTMLImageElement, path: string) => void} load
 * @property {(changed: () => void, opened: () => void) => void} listen
 */

/** @type {Way} */
let way = {
  isPage: true,
  ask: async (path, body) => {
    const options = body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    const response = await fetch(path, options);
    return { status: response.status, text: await response.text() };
  },
  load: (image, path) => { image.src = path; },
  listen: (changed, opened) => {
    const changes = new EventSource("/api/changes");
    changes.addEventListener("change", changed);
    changes.addEventListener("open", opened);
  },
};

/** @param {Way} other */
export function take(other) {
  way = other;
}

export const isPage = () => way.isPage;

/** @param {() => void} changed @param {() => void} opened */
export const listen = (changed, opened) => way.listen(changed, opened);

/** @param {HTMLImageElement} image @param {number} row */
export const load = (image, row) => way.load(image, `/picture/${row}`);

/** @param {string} path @param {object} [body] @returns {Promise<any>} */
async function ask(path, body) {
  const { status, text } = await way.ask(path, body);
  if (status >= 400) {
    let reason = text;
    try {
      reason = JSON.parse(text).error;
    } catch { /* the answer is a sentence */ }
    throw new Refused(status, reason);
  }
  return JSON.parse(text);
}

/** @param {string} path @param {Record<string, string>} [query] */
export function get(path, query = {}) {
  const search = new URLSearchParams(query).toString();
  return ask(search ? `${path}?${search}` : path);
}

/** @param {string} path @param {object} body */
export function post(path, body) {
  return ask(path, body);
}

/**
 * Ask until the server answers: an answer to a pair carries a key, so twice is once.
 * @param {() => Promise<any>} request
 * @param {string} problem what is not so yet
 * @param {(problem: string) => void} tell
 */
export async function surely(request, problem, tell) {
  for (let wait = 300; ; wait = Math.min(2 * wait, 5000)) {
    const late = setTimeout(() => tell(`${problem}: waiting for the program …`), 3000);
    try {
      const answer = await request();
      tell("");
      return answer;
    } catch (error) {
      const status = error instanceof Refused ? error.status : 0;
      if (status === 401 || status === 403) {
        tell("The program was started again: open the address that it printed.");
        throw error;
      }
      if (status && status !== 429 && status < 500) throw error;
      const reason = error instanceof Refused ? error.message : "the program does not answer";
      tell(`${problem}: ${reason}. Trying again …`);
      await new Promise((resolve) => setTimeout(resolve, wait));
    } finally {
      clearTimeout(late);
    }
  }
}
