/** Copying text. */

import { fill, text } from "../text.js";

/**
 * Copy a text, and say so, or show it where the browser does not allow that.
 *
 * @param {string} value
 * @param {string} done what is said then
 * @param {HTMLElement} message where
 */
export async function copyText(value, done, message) {
  let said = done;
  try {
    await navigator.clipboard.writeText(value);
  } catch {
    said = fill(text.analyse.tools.cannotCopy, { link: value });
  }
  message.hidden = false;
  message.classList.toggle("failure", said !== done);
  message.textContent = said;
}
