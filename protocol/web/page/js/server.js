/** What the page asks the server over HTTP: kept games, players, accounts, files to be read, analysed and written. */

import { ConnectionLost, ServerError } from "./socket.js";
import { awaitAnswer } from "./waits.js";

const API = "/api/v1/";
const UNANSWERED = "the server did not answer";
const KEPT_MS = 10_000;

/**
 * Send a request, and return an answer that is none of an error.
 *
 * @param {string} path below the API, with its parameters
 * @param {RequestInit} [options]
 */
export async function send(path, options) {
  let response;
  try {
    response = await awaitAnswer(fetch(API + path, options));
  } catch (error) {
    throw options?.signal?.aborted ? error : new ConnectionLost(UNANSWERED);
  }
  if (response.ok) return response;
  const document = await response.json().catch(() => null);
  throw new ServerError(document?.error ?? { code: "internal", field: "request", message: `the server answered ${response.status}` });
}

/**
 * @param {string} path below the API, with its parameters
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function fetchJson(path, options) {
  const response = await send(path, options);
  return response.json().catch(() => { throw new ConnectionLost(UNANSWERED); });
}

/**
 * @param {string} path
 * @param {Record<string, any>} body
 */
export function postJson(path, body) {
  return fetchJson(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
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
  const response = await send(`games/${id}.${ending}`);
  download(await response.blob(), `gammond-${id}.${ending}`);
}

/**
 * Give the browser a file to keep.
 *
 * @param {Blob} content
 * @param {string} name
 */
export function download(content, name) {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
