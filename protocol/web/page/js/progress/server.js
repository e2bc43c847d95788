/** What this page asks of the server: kept games, players, accounts. */

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
 * @param {string} path
 * @param {RequestInit} options
 */
async function ask(path, options) {
  let response;
  try {
    response = await awaitAnswer(fetch(API + path, { credentials: "same-origin", ...options }));
  } catch {
    throw new ServerError(UNANSWERED);
  }
  const document = await response.json().catch(() => ({ error: UNANSWERED }));
  if (!response.ok) throw new ServerError(document.error ?? UNANSWERED);
  return document;
}
