/** Says what the server compiles while the page waits for it: on first use that takes a minute. */

import { announce, h } from "./dom.js";
import { fill, text } from "./text.js";

const SILENT_MS = 700;
const ASK_EVERY_MS = 1000;

/** @type {Map<object, number>} what is waited for, and since when, in milliseconds */
const waits = new Map();
/** @type {number | undefined} */
let timer;
const line = h("p", { class: "compiling", "aria-hidden": "true", hidden: true });

/**
 * Note whether something is waited for, from now on.
 *
 * @param {object} what
 * @param {boolean} isWaiting
 */
export function setWaiting(what, isWaiting) {
  if (isWaiting) waits.set(what, performance.now());
  else waits.delete(what);
  if (isWaiting) timer ??= setTimeout(look, SILENT_MS);
}

/**
 * Note that an answer is waited for, until it comes or fails.
 *
 * @template T
 * @param {Promise<T>} answer
 * @returns {Promise<T>} the same
 */
export function awaitAnswer(answer) {
  setWaiting(answer, true);
  const end = () => setWaiting(answer, false);
  answer.then(end, end);
  return answer;
}

/** Ask how far compiling is if something has been waited for long enough, and go on while there are waits. */
async function look() {
  const isLong = [...waits.values()].some((since) => performance.now() - since >= SILENT_MS);
  show(isLong && !document.hidden ? await ask() : null);
  timer = waits.size ? setTimeout(look, line.hidden && !isLong ? SILENT_MS / 2 : ASK_EVERY_MS) : undefined;
  if (!timer) show(null);
}

/** @returns {Promise<{done: number, elapsed_s: number} | null>} */
async function ask() {
  try {
    return (await (await fetch("/healthz")).json()).compiling ?? null;
  } catch {
    return null;
  }
}

/** @param {{done: number, elapsed_s: number} | null} compiling */
function show(compiling) {
  if (!line.isConnected) document.body.append(line);
  if (compiling) line.textContent = fill(text.app.compiling, compiling);
  if (compiling && line.hidden) announce(line.textContent ?? "");
  line.hidden = !compiling;
}
