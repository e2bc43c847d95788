/** Failures as sentences. */

import { ConnectionLost, ServerError } from "../socket.js";
import { fill, text } from "../text.js";

const words = text.analyse.failures;

/**
 * What went wrong, by the server's message if it answered; what is neither its nor the connection's is a fault of the page.
 *
 * @param {unknown} error
 */
export function describeFailure(error) {
  if (error instanceof ConnectionLost) return words.lost;
  if (!(error instanceof ServerError)) {
    reportError(error);
    return fill(words.fault, { message: String(error) });
  }
  const said = error.message.replace(/^match_text: /, "");
  const message = said.charAt(0).toUpperCase() + said.slice(1);
  return error.code === "stopped" ? words.stopped : fill(words.server, { message });
}
