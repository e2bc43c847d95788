/** What this page asks of the server: kept games, players, accounts. */

import { download } from "../analyse/match_source.js";
import { ServerError } from "../socket.js";
import { awaitAnswer } from "../waits.js";

const API = "/api/v1/";

/** What the page shows where the server gave no answer of its own. */
const UNANSWERED = { code: "internal", field: "", message: "the server did not answer" };

/**
 * @param {string} path below the API, with its parameters
 * @returns {Promise<any>}
 */
export function fetchJson(path) {
  return ask(path, { headers: { accept: "application/json" } });
}

/**
 * @param {string} path
 * @param {Record<string, any>} body
 * @returns {Promise<any>}
 */
export function postJson(path, body) {
  return ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

/**
 * @param {Record<string, string | number | null | undefined>} values
 * @returns {string} parameters, without those that have no value
 */
export function makeQuery(values) {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
}

/**
 * The address of a game's record.
 *
 * @param {number} id
 * @param {string} ending
 */
export function recordAddress(id, ending) {
  return `${API}games/${id}.${ending}`;
}

/**
 * Save a game's record as a file; the server may not have it in this format.
 *
 * @param {number} id
 * @param {string} ending
 */
export async function saveRecord(id, ending) {
  const response = await send(`games/${id}.${ending}`, {});
  download(await response.blob(), `gammond-${id}.${ending}`);
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function ask(path, options) {
  const response = await send(path, options);
  return response.json().catch(() => { throw new ServerError(UNANSWERED); });
}

/**
 * Return an answer that is none of an error.
 *
 * @param {string} path
 * @param {RequestInit} options
 */
async function send(path, options) {
  let response;
  try {
    response = await awaitAnswer(fetch(API + path, { credentials: "same-origin", ...options }));
  } catch {
    throw new ServerError(UNANSWERED);
  }
  if (response.ok) return response;
  const document = await response.json().catch(() => null);
  throw new ServerError(document?.error ?? UNANSWERED);
}
