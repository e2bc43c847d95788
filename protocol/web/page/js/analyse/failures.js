/** Failures as sentences. */

import { ServerError } from "../socket.js";
import { fill, text } from "../text.js";

const words = text.analyse.failures;

/**
 * What went wrong, by the server's message if it answered.
 *
 * @param {unknown} error
 */
export function describeFailure(error) {
  if (!(error instanceof ServerError)) return words.lost;
  const said = error.message.replace(/^match_text: /, "");
  const message = said.charAt(0).toUpperCase() + said.slice(1);
  return error.code === "stopped" ? words.stopped : fill(words.server, { message });
}
