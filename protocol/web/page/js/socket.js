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
  constructor(message = "the connection was lost before the answer came") {
    super(message);
    this.name = "ConnectionLost";
  }
}

/**
 * @typedef {object} Pending a request without its answer
 * @property {string} frame
 * @property {boolean} isRepeatable whether it changes nothing: then it is sent again on the next connection
 * @property {(answer: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {object[]} lines of the answer so far
 * @property {((progress: any) => void) | undefined} onProgress
 */

/** One WebSocket at a time, with requests by their ids; events `open` and `close`, and for subclasses `receive(text)`. */
class ReconnectingSocket extends EventTarget {
  /** @param {string} path */
  constructor(path) {
    super();
    /** @type {Map<string | number, Pending>} */
    this.pending = new Map();
    this.number = 0;
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

  /**
   * @param {string | number} id
   * @param {string} frame
   * @param {boolean} isRepeatable
   * @param {(progress: any) => void} [onProgress]
   * @returns {Promise<any>}
   */
  send(id, frame, isRepeatable, onProgress) {
    this.connect();
    return awaitAnswer(new Promise((resolve, reject) => {
      this.pending.set(id, { frame, isRepeatable, resolve, reject, lines: [], onProgress });
      if (this.isOpen) this.socket?.send(frame);
    }));
  }

  /** What to send first on each connection. */
  greet() {}

  /** Begin a connection: send again what has no answer. */
  begin() {
    const frames = [...this.pending.values()].map(({ frame }) => frame);
    this.greet();
    for (const frame of frames) this.socket?.send(frame);
  }

  /**
   * A request has its answer.
   *
   * @param {string | number} id
   * @param {{code: string, field: string, message: string} | undefined} error
   * @param {any} answer
   */
  settle(id, error, answer) {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (error) pending?.reject(new ServerError(error));
    else pending?.resolve(answer);
  }

  /** The connection is lost, and with it the answers to what cannot be sent again. */
  lose() {
    for (const [id, { isRepeatable, reject }] of this.pending) {
      if (isRepeatable) continue;
      this.pending.delete(id);
      reject(new ConnectionLost());
    }
  }

  /** @param {string} _data */
  receive(_data) {}
}

/** The line protocol: JSON queries as promises, and commands whose answers come as JSON. */
export class LineSocket extends ReconnectingSocket {
  constructor() {
    super("/ws/line");
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
    const answer = this.send(id, `${JSON.stringify({ id, ...query })}\n`, true, onProgress);
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
    return this.send(id, `${id} ${line}\n`, false);
  }

  /** @param {string} id */
  terminate(id) {
    if (this.pending.has(id) && this.isOpen) {
      this.socket?.send(`${JSON.stringify({ action: "terminate", id: `${id}.stop`, terminate_id: id })}\n`);
    }
  }

  greet() {
    this.socket?.send("set engine.format json\n");
  }

  /** @param {string} data */
  receive(data) {
    for (const line of data.split("\n")) {
      if (!line.startsWith("{")) continue;
      const object = JSON.parse(line);
      const id = object.tag ?? object.id;
      const pending = this.pending.get(id);
      if (!pending) continue;
      pending.lines.push(object);
      if (object.final) this.settle(id, object.error, pending.lines);
      else pending.onProgress?.(object);
    }
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
    /** @type {Map<string, Followed>} */
    this.followed = new Map();
  }

  /**
   * Send a request.
   *
   * @param {string} action the value of `do`
   * @param {Record<string, any>} [fields]
   * @returns {Promise<any>}
   */
  request(action, fields = {}) {
    const id = ++this.number;
    return this.send(id, JSON.stringify({ id, do: action, ...fields }), REPEATABLE.includes(action));
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

  greet() {
    for (const [table, followed] of this.followed) this.join(table, followed);
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
    this.settle(object.id, object.ok ? undefined : object.error, object);
  }
}
