/** Files of an open match to keep: with the analysis that the page goes by, as far as a format has a place for it. */

import { button } from "../dom.js";
import { fill, text } from "../text.js";
import { describeFailure } from "./failures.js";
import { download } from "../server.js";
import { writeMatch } from "./match_source.js";

/** @import { OpenMatch } from "./match_view.js" */

const words = text.analyse.match;
/** The one format that holds several matches. */
const ALL_MATCHES = "json";

/** Name, label and explanation. */
const FORMATS = /** @type {[string, string, string][]} */ ([
  ["html", words.report, words.reportIs], ["json", "JSON", words.jsonIs], ["sgf", ".sgf", words.sgfIs], ["ogxm", ".ogxm", words.ogxmIs],
  ["mat", ".mat", words.matIs],
]);

/**
 * Buttons that save the match.
 *
 * @param {() => OpenMatch} getMatch
 * @param {{say: (message: string) => void, fail: (message: string) => void}} messages take what happens
 */
export function drawDownloads(getMatch, { say, fail }) {
  const save = async (/** @type {string} */ name) => {
    const match = getMatch();
    const file = `${match.file.name.replace(/\.[^.]*$/, "") || "match"}.${name}`;
    fail("");
    say(fill(words.writing, { name: file }));
    try {
      const { content, leftOut } = await write(match, name);
      download(content, file);
      say(fill(leftOut ? words.savedWithout : words.saved, { name: file, leftOut }));
    } catch (error) {
      say("");
      fail(describeFailure(error));
    }
  };
  const isOne = getMatch().records.length === 1;
  return FORMATS.filter(([name]) => isOne || name === ALL_MATCHES).map(([name, label, title]) =>
    button(label, () => save(name), { class: "plain", title }));
}

/**
 * @param {OpenMatch} match
 * @param {string} name of a format
 * @returns {Promise<{content: Blob, leftOut: string}>}
 */
async function write({ file, records, plies, results, isByFile }, name) {
  if (name === "json") {
    return { content: new Blob([JSON.stringify(isByFile ? records : results, null, 1)], { type: "application/json" }), leftOut: "" };
  }
  const isOfFile = name === "mat" || isByFile || !results;
  return writeMatch(file, /** @type {"mat" | "sgf" | "ogxm" | "html"} */ (name), isOfFile ? undefined : plies);
}
