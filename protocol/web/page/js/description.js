/** What the server says of itself, asked once. */

import { fill, text } from "./text.js";

/** @type {Promise<any> | null} */
let description = null;

/**
 * The answer to `describe`.
 *
 * @param {import("./socket.js").LineSocket} line
 * @returns {Promise<any>}
 */
export function describeServer(line) {
  description ??= line.command("describe").then((answer) => answer[answer.length - 1]);
  description.catch(() => (description = null)); // it is asked again
  return description;
}

/**
 * Let variants not be chosen that no engine plays on this server, and say so.
 *
 * @param {HTMLSelectElement} list of variants
 * @param {Record<string, string>} labels of all variants
 * @param {Record<string, string>} missing what is missing, by variant
 */
export function markMissing(list, labels, missing) {
  for (const option of list.options) {
    const reason = missing[option.value];
    const label = labels[option.value];
    option.disabled = reason !== undefined;
    option.textContent = reason === undefined ? label : fill(text.app.missing, { name: label });
    option.title = reason ?? "";
  }
}
