/** The analysis: a position, or a match from a file. What is analysed stays while other pages are open. */

import { h } from "../dom.js";
import { text } from "../text.js";
import { MatchView } from "./match_view.js";
import { PositionLine } from "./position_line.js";
import { PositionView } from "./position_view.js";
import { CHECKERS, formatXgid, makeStart } from "./xgid.js";

const words = text.analyse;
const MATCH = "match";

const line = new PositionLine();
/** @type {import("./match_view.js").OpenMatch | null} */
let match = null;

/**
 * Open the view: `#/analyse`, `#/analyse/XGID…`, `#/analyse/VARIANT/XGID…` or `#/analyse/match`.
 *
 * @param {HTMLElement} main
 * @param {string[]} parts
 * @param {import("../main.js").Context} context
 */
export function open(main, parts, context) {
  const isMatch = parts[0] === MATCH;
  const body = h("div", {});
  main.append(h("h1", { class: "unseen" }, words.title), drawModes(isMatch), body);
  if (isMatch) {
    const view = new MatchView(body, context.line, match, { keep: (opened) => (match = opened), analyse: analysePosition });
    return { close: () => view.close() };
  }
  const variant = parts[0] in CHECKERS ? parts[0] : "backgammon";
  const words_ = (parts[0] in CHECKERS ? parts.slice(1) : parts).join("/");
  if (words_ && variant !== line.variant) line.begin(makeStart(variant), variant);
  const view = new PositionView(body, line, context.line);
  if (words_ && words_ !== formatXgid(line.setting)) view.openText(words_);
  return { close: () => view.close() };
}

/** @param {boolean} isMatch */
function drawModes(isMatch) {
  const link = (/** @type {string} */ href, /** @type {string} */ name, /** @type {boolean} */ isCurrent) =>
    h("a", { href, "aria-current": isCurrent && "page" }, name);
  return h("nav", { class: "modes", "aria-label": words.modes },
    link(`#/analyse/${line.address}`, words.position, !isMatch), link(`#/analyse/${MATCH}`, words.matchFile, isMatch));
}

/**
 * Go over to a position of a match.
 *
 * @param {import("./xgid.js").Setting} setting
 */
function analysePosition(setting) {
  line.push(setting);
  location.hash = `#/analyse/${line.address}`;
}
