/** What the server says of itself, asked once. */

import { LineSocket } from "./socket.js";
import { fill, text } from "./text.js";

const FIRST_GAME = "backgammon";

/** @type {Map<string, Promise<any>>} */
const descriptions = new Map();

/**
 * The answer to `describe`, about a game.
 *
 * @param {LineSocket} line which plays backgammon; for another game there is a line of its own
 * @returns {Promise<any>}
 */
export function describeServer(line, game = FIRST_GAME) {
  const known = descriptions.get(game);
  if (known) return known;
  const own = game === FIRST_GAME ? line : new LineSocket();
  const steps = game === FIRST_GAME ? [] : [own.command(`set game.variant ${game}`)];
  const description = Promise.all([...steps, own.command("describe")]).then((answers) => answers.at(-1)?.at(-1));
  descriptions.set(game, description);
  description.catch(() => descriptions.delete(game)) // it is asked again
    .finally(() => own !== line && own.close());
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
