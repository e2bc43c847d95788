/** WebSockets that connect again by themselves: of the line protocol, and of tables. */

import { awaitAnswer } from "./waits.js";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;

/** An error that the server answered: its code, field and message. */
export class ServerError extends Error {
  /** @param {{code: string, field: string, message: string}} error */
  constructor(error) {
    super(error.message);
    this.name = "ServerError";
    this.code = error.code;
    this.field = error.field;
  }
}

/** A connection that was lost before the answer came. */
export class ConnectionLost extends Error {
  constructor() {
    super("the connection was lost before the answer came");
    this.name = "ConnectionLost";
  }
}

/** One WebSocket at a time; events `open`, `close` and, for subclasses, `receive(text)`. */
class ReconnectingSocket extends EventTarget {
  /** @param {string} path */
  constructor(path) {
    super();
    this.url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.wanted = false;
    this.waitMs = FIRST_WAIT_MS;
    /** @type {number | undefined} */
    this.timer = undefined;
    addEventListener("online", () => this.hurry());
    addEventListener("offline", () => this.abandon());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    this.wanted = true;
    if (this.socket || this.timer) return;
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.addEventListener("open", () => {
      if (this.socket !== socket) return;
      this.waitMs = FIRST_WAIT_MS;
      this.begin();
      this.dispatchEvent(new Event("open"));
    });
    socket.addEventListener("message", (event) => this.socket === socket && this.receive(String(event.data)));
    socket.addEventListener("close", () => this.socket === socket && this.end());
  }

  /** The connection is no more. */
  end() {
    this.socket = null;
    this.lose();
    this.dispatchEvent(new Event("close"));
    if (this.wanted) this.waitAndConnect();
  }

  /** The network is gone: the browser would notice the silence of the connection after minutes only. */
  abandon() {
    const { socket } = this;
    if (!socket) return;
    this.end();
    socket.close();
  }

  waitAndConnect() {
    const wait = this.waitMs * (0.75 + Math.random() / 2);
    this.waitMs = Math.min(this.waitMs * 2, LONGEST_WAIT_MS);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.connect();
    }, wait);
  }

  /** Connect now if a wait is under way: the network or the person is back. */
  hurry() {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.connect();
  }

  close() {
    this.wanted = false;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.socket?.close();
  }

  /** What to send first on each connection. */
  begin() {}

  /** What a lost connection means for requests without an answer. */
  lose() {}

  /** @param {string} _data */
  receive(_data) {}
}

/**
 * @typedef {object} Pending
 * @property {(answer: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {string} line
 * @property {boolean} repeatable
 * @property {object[]} lines
 * @property {((progress: any) => void) | undefined} onProgress
 */

/** The line protocol: JSON queries as promises, and commands whose answers come as JSON. */
export class LineSocket extends ReconnectingSocket {
  constructor() {
    super("/ws/line");
    /** @type {Map<string, Pending>} */
    this.pending = new Map();
    this.number = 0;
  }

  /**
   * Ask a JSON query; progress objects go to `onProgress`, and `signal` stops it, so that the results so far come.
   *
   * @param {Record<string, any>} query without `id`
   * @param {{onProgress?: (progress: any) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<any>} the final object
   */
  query(query, { onProgress, signal } = {}) {
    const id = `q${++this.number}`;
    const answer = this.request(id, JSON.stringify({ id, ...query }), true, onProgress);
    signal?.addEventListener("abort", () => this.terminate(id), { once: true });
    if (signal?.aborted) this.terminate(id);
    return answer.then((lines) => lines[lines.length - 1]);
  }

  /**
   * Send a command.
   *
   * @param {string} line
   * @returns {Promise<any[]>} the objects of its answer
   */
  command(line) {
    const id = `@c${++this.number}`;
    return this.request(id, `${id} ${line}`, false);
  }

  /** @param {string} id */
  terminate(id) {
    if (this.pending.has(id) && this.isOpen) {
      this.transmit(JSON.stringify({ action: "terminate", id: `${id}.stop`, terminate_id: id }));
    }
  }

  /**
   * @param {string} id
   * @param {string} line
   * @param {boolean} repeatable
   * @param {(progress: any) => void} [onProgress]
   * @returns {Promise<any[]>}
   */
  request(id, line, repeatable, onProgress) {
    this.connect();
    return awaitAnswer(new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject, line, repeatable, lines: [], onProgress });
      if (this.isOpen) this.transmit(line);
    }));
  }

  /** @param {string} line */
  transmit(line) {
    this.socket?.send(`${line}\n`);
  }

  begin() {
    this.transmit("set engine.format json");
    for (const { line } of this.pending.values()) this.transmit(line);
  }

  lose() {
    for (const [id, pending] of this.pending) {
      if (pending.repeatable) continue;
      this.pending.delete(id);
      pending.reject(new ConnectionLost());
    }
  }

  /** @param {string} data */
  receive(data) {
    for (const line of data.split("\n")) {
      if (!line.startsWith("{")) continue;
      const object = JSON.parse(line);
      const id = object.tag ?? object.id;
      const pending = this.pending.get(id);
      if (pending) this.settle(id, pending, object);
    }
  }

  /**
   * @param {string} id
   * @param {Pending} pending
   * @param {any} object
   */
  settle(id, pending, object) {
    if (!object.final) {
      pending.lines.push(object);
      pending.onProgress?.(object);
      return;
    }
    this.pending.delete(id);
    if (object.error) pending.reject(new ServerError(object.error));
    else pending.resolve([...pending.lines, object]);
  }
}

/** Requests that change nothing: they are sent again on the next connection. */
const REPEATABLE = ["look", "list", "ping"];

/**
 * @typedef {object} Followed a table whose events are heard
 * @property {Record<string, any>} fields of `join`: `token`, `name`, `seed`
 * @property {number | null} last the number of the last event that was heard
 * @property {(answer: any) => void} onJoined takes the answer to each `join`
 * @property {(event: any) => void} onEvent
 * @property {(error: Error) => void} onFailure joining was refused
 */

/** Tables: requests as promises, and events of each table that is followed, also after a lost connection. */
export class TableSocket extends ReconnectingSocket {
  constructor() {
    super("/ws/tables");
    /** @type {Map<number, {frame: string, isRepeatable: boolean, resolve: (answer: any) => void, reject: (error: Error) => void}>} */
    this.pending = new Map();
    /** @type {Map<string, Followed>} */
    this.followed = new Map();
    this.number = 0;
  }

  /**
   * Send a request.
   *
   * @param {string} action the value of `do`
   * @param {Record<string, any>} [fields]
   * @returns {Promise<any>}
   */
  request(action, fields = {}) {
    this.connect();
    const id = ++this.number;
    const frame = JSON.stringify({ id, do: action, ...fields });
    return awaitAnswer(new Promise((resolve, reject) => {
      this.pending.set(id, { frame, isRepeatable: REPEATABLE.includes(action), resolve, reject });
      if (this.isOpen) this.socket?.send(frame);
    }));
  }

  /**
   * Join a table and hear its events, until `leave`: at once, and again on each connection after a lost one.
   *
   * @param {string} table
   * @param {Omit<Followed, "last">} how
   */
  follow(table, how) {
    const followed = { ...how, last: null };
    this.followed.set(table, followed);
    if (this.isOpen) this.join(table, followed);
    else this.connect();
  }

  /**
   * @param {string} table
   * @param {Followed} followed
   */
  async join(table, followed) {
    const { fields, last, onJoined, onFailure } = followed;
    try {
      const answer = await this.request("join", { table, ...fields, ...(last === null ? {} : { after: last }) });
      if (this.followed.get(table) === followed) onJoined(answer);
    } catch (error) {
      // After a lost connection it is joined again.
      if (this.followed.get(table) === followed && !(error instanceof ConnectionLost)) onFailure(/** @type {Error} */ (error));
    }
  }

  /** @param {string} table */
  leave(table) {
    if (this.followed.delete(table) && this.isOpen) this.request("leave", { table }).catch(() => {});
  }

  begin() {
    const frames = [...this.pending.values()].map(({ frame }) => frame);
    for (const [table, followed] of this.followed) this.join(table, followed);
    for (const frame of frames) this.socket?.send(frame);
  }

  lose() {
    for (const [id, { isRepeatable, reject }] of this.pending) {
      if (isRepeatable) continue;
      this.pending.delete(id);
      reject(new ConnectionLost());
    }
  }

  /** @param {string} data */
  receive(data) {
    const object = JSON.parse(data);
    if ("table" in object && "event" in object && !("ok" in object)) {
      const followed = this.followed.get(object.table);
      if (!followed || (followed.last !== null && object.kind !== "state" && object.event <= followed.last)) return;
      followed.last = object.event;
      followed.onEvent(object);
      return;
    }
    const pending = this.pending.get(object.id);
    if (!pending) return;
    this.pending.delete(object.id);
    if (object.ok) pending.resolve(object);
    else pending.reject(new ServerError(object.error));
  }
}
