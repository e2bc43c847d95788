/** Where a match comes from and goes to: the server reads its file, analyses it and writes it in other formats. */

import { fetchJson, makeQuery, send } from "../server.js";

/** @import { LineSocket } from "../socket.js" */
/** @import { MatchRecord } from "./match_items.js" */

const LONGEST_LINE = 500_000;

/**
 * Get a game that the server keeps.
 *
 * @param {string} id
 */
export async function fetchGame(id) {
  const answer = await send(`games/${encodeURIComponent(id)}.sgf`);
  return new File([await answer.blob()], `${id}.sgf`);
}

/**
 * Read the matches of a file of any format, or the positions of one that has no match.
 *
 * @param {Blob} file
 * @returns {Promise<{matches: MatchRecord[], positions?: {xgid: string, names: string[], comment: string}[]}>}
 */
export function readFile(file) {
  return fetchJson("convert?to=json", post(file));
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
  if (text === null) return (await fetchJson(`analyse?plies=${plies}`, post(file, signal))).results;
  const query = { match_text: text, want: ["analyse"], plies, progress_every: 5 };
  return (await line.query(query, { signal, onProgress })).results;
}

/**
 * The match in another format, with the analysis that its file has, or as a report with that of the server.
 *
 * @param {Blob} file
 * @param {"mat" | "sgf" | "ogxm" | "html"} format
 * @param {number} [plies] of the analysis that is made; without them none is
 * @returns {Promise<{content: Blob, leftOut: string}>} with what the format has no place for
 */
export async function writeMatch(file, format, plies) {
  const path = plies === undefined ? `convert?to=${format}` : `analyse${makeQuery({ plies, report: format })}`;
  const answer = await send(path, post(file));
  return { content: await answer.blob(), leftOut: answer.headers.get("X-Left-Out") ?? "" };
}

/**
 * The text of a match file that a query can hold: itself, or that of a binary file; null if there is none.
 *
 * @param {Blob} file
 */
async function readText(file) {
  const convert = async (/** @type {"mat" | "sgf"} */ format) => (await writeMatch(file, format)).content;
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
 * @param {Blob} body
 * @param {AbortSignal} [signal]
 * @returns {RequestInit} what sends a file
 */
function post(body, signal) {
  return { method: "POST", body, headers: { "Content-Type": "application/octet-stream" }, signal };
}
