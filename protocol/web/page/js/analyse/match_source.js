/** Where a match comes from and goes to: the server reads its file, analyses it and writes it in other formats. */

import { ConnectionLost, ServerError } from "../socket.js";
import { awaitAnswer } from "../waits.js";

/** @import { LineSocket } from "../socket.js" */
/** @import { MatchRecord } from "./match_items.js" */

const LONGEST_LINE = 500_000;
const BINARY = "application/octet-stream";

/**
 * Get a game that the server keeps.
 *
 * @param {string} id
 */
export async function fetchGame(id) {
  const answer = await check(await ask(`/api/v1/games/${encodeURIComponent(id)}.sgf`));
  return new File([await answer.blob()], `${id}.sgf`);
}

/**
 * Read the matches of a file of any format, or the positions of one that has no match.
 *
 * @param {Blob} file
 * @returns {Promise<{matches: MatchRecord[], positions?: {xgid: string, names: string[], comment: string}[]}>}
 */
export async function readFile(file) {
  return (await post("/api/v1/convert?to=json", file)).json();
}

/**
 * Analyse the matches of a file: by a query of the line protocol, which tells its progress, where it is a text that
 * fits into a line.
 *
 * @param {LineSocket} line
 * @param {Blob} file
 * @param {number} plies
 * @param {{signal: AbortSignal, onProgress: (progress: any) => void}} options
 * @returns {Promise<any[]>} a result for each match
 */
export async function analyseMatches(line, file, plies, { signal, onProgress }) {
  const text = await readText(file);
  if (text === null) return (await (await post(`/api/v1/analyse?plies=${plies}`, file, signal)).json()).results;
  const query = { match_text: text, want: ["analyse"], plies, progress_every: 5 };
  return (await line.query(query, { signal, onProgress })).results;
}

/**
 * The match with the analysis of the server, as a page with boards and equities, SGF or OGXM, and what the format has no
 * place for.
 *
 * @param {Blob} file
 * @param {number} plies
 * @param {"html" | "sgf" | "ogxm"} format
 */
export async function fetchReport(file, plies, format) {
  return readContent(await post(`/api/v1/analyse?plies=${plies}&report=${format}`, file));
}

/**
 * The match in another format, with the analysis that its file has, and what the format has no place for.
 *
 * @param {Blob} file
 * @param {"mat" | "sgf" | "ogxm" | "html"} format
 */
export async function convertMatch(file, format) {
  return readContent(await post(`/api/v1/convert?to=${format}`, file));
}

/**
 * @param {Response} answer
 * @returns {Promise<{content: Blob, leftOut: string}>}
 */
async function readContent(answer) {
  return { content: await answer.blob(), leftOut: answer.headers.get("X-Left-Out") ?? "" };
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
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * The text of a match file that a query can hold: itself, or that of a binary file; null if there is none.
 *
 * @param {Blob} file
 */
async function readText(file) {
  const convert = async (/** @type {"mat" | "sgf"} */ format) => (await convertMatch(file, format)).content;
  for (const read of [() => file, () => convert("sgf"), () => convert("mat")]) {
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await (await read()).arrayBuffer());
      if (!text.includes("\0") && new Blob([JSON.stringify(text)]).size < LONGEST_LINE) return text;
    } catch {
      // Binary, or a file with several matches: the next way may do.
    }
  }
  return null;
}

/**
 * @param {string} path
 * @param {Blob} content
 * @param {AbortSignal} [signal]
 */
async function post(path, content, signal) {
  return check(await awaitAnswer(ask(path, { method: "POST", body: content, headers: { "Content-Type": BINARY }, signal })));
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function ask(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    throw options?.signal?.aborted ? error : new ConnectionLost();
  }
}

/**
 * Return an answer that is none of an error.
 *
 * @param {Response} answer
 */
async function check(answer) {
  if (answer.ok) return answer;
  const document = await answer.json().catch(() => null);
  throw new ServerError(document?.error ?? { code: "internal", field: "request", message: `the server answered ${answer.status}` });
}
