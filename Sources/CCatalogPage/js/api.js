// Asking the server, and knowing whether it answers.

const base = new URL("api/v1/", document.baseURI).href;

/// An answer that says why there is none: problem+json.
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? String(status));
    this.status = status;
    this.code = body.code;
    this.position = body.position;
    this.expected = body.expected;
    this.nearest = body.nearest;
  }
}

/// Whether the server answers. It says `lost` and `back`; while it does not answer, it is asked now and then.
class Connection extends EventTarget {
  isLost = false;
  #waiting = null;

  /// Told that a request found nobody.
  lost() {
    if (this.isLost) return;
    this.isLost = true;
    this.#waiting = this.#tryAgain();
    this.dispatchEvent(new Event("lost"));
  }

  /// Asks whether somebody is there: a stream has broken off.
  async doubt() {
    if (this.isLost) return;
    try {
      await fetch(`${base}session`, { cache: "no-store", signal: AbortSignal.timeout(5000) });
    } catch {
      this.lost();
    }
  }

  /// Waits until somebody answers.
  back() { return this.#waiting ?? Promise.resolve(); }

  async #tryAgain() {
    for (let pause = 250; ; pause = Math.min(pause * 1.6, 4000)) {
      await new Promise((resume) => setTimeout(resume, pause));
      try {
        const answer = await fetch(`${base}session`, { cache: "no-store", signal: AbortSignal.timeout(5000) });
        if (answer.status < 500) break;
      } catch { /* still nobody */ }
    }
    this.isLost = false;
    this.#waiting = null;
    this.dispatchEvent(new Event("back"));
  }
}

export const connection = new Connection();

/// The address of a request. Values that are lists stand once for each element; those that are null do not stand.
export function address(path, parameters = []) {
  const url = new URL(path, base);
  for (const [name, value] of parameters) {
    if (value === null || value === undefined || value === "") continue;
    url.searchParams.append(name, value);
  }
  return url.href;
}

/// Asks once more when the server is back, unless the signal says that nobody wants to know any more.
async function answer(url, options) {
  for (;;) {
    if (connection.isLost) {
      await connection.back();
      options.signal?.throwIfAborted();
    }
    let response;
    try {
      response = await fetch(url, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof TypeError)) throw error;
      connection.lost();
      continue;
    }
    if (response.status !== 502 && response.status !== 503 && response.status !== 504) return response;
    connection.lost();
  }
}

/// Sends a request and returns what it answers.
///
/// - parameters: pairs of names and values.
/// - options: `method`, `body` (an object), `signal`.
export async function ask(path, parameters = [], { method = "GET", body, signal } = {}) {
  const response = await answer(address(path, parameters), {
    method, signal, credentials: "same-origin",
    headers: body ? { "Content-Type": "application/json" } : {},
    body: body ? JSON.stringify(body) : undefined,
  });
  if (response.ok) return response.status === 204 ? null : response.json();
  let problem = {};
  try { problem = await response.json(); } catch { /* its status says enough */ }
  throw new Problem(response.status, problem);
}

/// Asks for nothing back, also while the page goes away.
export function tell(path, method) {
  fetch(address(path), { method, keepalive: true, credentials: "same-origin" }).catch(() => {});
}

/// Events of the server, heard from when they are asked for until nobody wants them any more. Calls `told` when they begin to
/// be heard, and when they are no longer.
export class Feed {
  isLive = false;
  #events = null;
  #told;

  constructor(told) { this.#told = told; }

  get isOpen() { return this.#events !== null; }

  /// - actions: what to do at an event of a name, with what it brings.
  /// - ended: what to do when the server has no such events: a browser tries everything else again by itself.
  open(url, actions, ended) {
    const events = this.#events = new EventSource(url);
    const on = (name, action) => events.addEventListener(name, (event) => {
      if (this.#events === events) action(event.data ? JSON.parse(event.data) : null);
    });
    on("open", () => this.#setLive(true));
    for (const [name, action] of Object.entries(actions)) on(name, action);
    on("error", () => {
      this.#setLive(false);
      connection.doubt();
      if (events.readyState !== EventSource.CLOSED) return;
      this.close();
      ended();
    });
  }

  close() {
    this.#events?.close();
    this.#events = null;
    this.#setLive(false);
  }

  #setLive(isLive) {
    if (this.isLive === isLive) return;
    this.isLive = isLive;
    this.#told();
  }
}

/// Whether an error only says that somebody else was asked for in the meantime.
export const isAbort = (error) => error?.name === "AbortError";
