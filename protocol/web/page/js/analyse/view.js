/** The analysis: a position, or a match from a file. What is analysed stays while other pages are open. */

import { h } from "../dom.js";
import { GAMES, VARIANTS } from "../games.js";
import { text, wordFor } from "../text.js";
import { PositionLine } from "./position_line.js";
import { formatXgid, isVariant, makeStart } from "./xgid.js";

/** @import { AnalysisView } from "../games.js" */
/** @import { Context } from "../main.js" */

const words = text.analyse;
const [MATCH, GAME] = ["match", "game"];
const OTHERS = Object.keys(GAMES).filter((name) => GAMES[name].openAnalysis);

const line = new PositionLine();
/** @type {import("./match_view.js").OpenMatch | null} */
let match = null;
/** @type {File | null} a file that the match view is to open */
let waiting = null;
/** A position that the view of positions is to open. */
let waitingPosition = "";

/**
 * Open the view: `#/analyse`, `#/analyse/XGID…`, `#/analyse/VARIANT/XGID…`, `#/analyse/GAME/POSITION`,
 * `#/analyse/match`, or `#/analyse/game/ID` for a game that the server keeps.
 *
 * @param {HTMLElement} main
 * @param {string[]} parts
 * @param {Context} context
 */
export async function open(main, parts, context) {
  const mode = parts[0] === GAME ? MATCH : [MATCH, ...OTHERS].includes(parts[0]) ? parts[0] : "";
  const body = h("div", {});
  main.append(h("h1", { class: "unseen" }, words.title), drawModes(mode), body);
  const openMode = OTHERS.includes(mode) ? openOther : mode === MATCH ? openMatch : openPosition;
  const view = await openMode(body, parts, context);
  const stop = receiveFiles(view);
  return { close: () => (stop(), view.close()) };
}

/** @typedef {(body: HTMLElement, parts: string[], context: Context) => Promise<AnalysisView>} OpenMode */

/** @type {OpenMode} */
async function openMatch(body, parts, context) {
  const [{ MatchView }, { fetchGame }] = await Promise.all([import("./match_view.js"), import("./match_source.js")]);
  const view = new MatchView(body, context.line, match, { keep: (opened) => (match = opened), analyse: analysePosition, showPosition });
  if (parts[0] === GAME) view.openFrom(() => fetchGame(parts[1]));
  else if (waiting) view.openFile(waiting);
  waiting = null;
  return view;
}

/** @type {OpenMode} */
async function openPosition(body, parts, context) {
  const { PositionView } = await import("./position_view.js");
  const variant = isVariant(parts[0]) ? parts[0] : "backgammon";
  const words_ = (isVariant(parts[0]) ? parts.slice(1) : parts).join("/");
  if (words_ && variant !== line.variant) line.begin(makeStart(variant), variant);
  const view = new PositionView(body, line, context.line, showFile);
  if (waitingPosition) view.openText(waitingPosition);
  else if (words_ && words_ !== formatXgid(line.setting)) view.openText(words_);
  waitingPosition = "";
  return view;
}

/** @type {OpenMode} */
async function openOther(body, [name, ...position], context) {
  return /** @type {AnalysisView} */ (await GAMES[name].openAnalysis?.(body, context.line, position.join("/")));
}

/** @param {string} mode */
function drawModes(mode) {
  const link = (/** @type {string} */ href, /** @type {string} */ name, /** @type {boolean} */ isCurrent) =>
    h("a", { href, "aria-current": isCurrent && "page" }, name);
  return h("nav", { class: "modes", "aria-label": words.modes },
    link(`#/analyse/${line.address}`, words.position, !mode), link(`#/analyse/${MATCH}`, words.matchFile, mode === MATCH),
    ...OTHERS.map((name) => link(`#/analyse/${name}`, wordFor(VARIANTS, name), mode === name)));
}

/**
 * Go over to a position of a match.
 *
 * @param {import("./xgid.js").Setting} setting
 * @param {string} variant
 */
function analysePosition(setting, variant) {
  if (variant === line.variant) line.push(setting);
  else line.begin(setting, variant);
  location.hash = `#/analyse/${line.address}`;
}

/**
 * Go over to the position of a file.
 *
 * @param {string} position in any format that the server knows
 */
function showPosition(position) {
  waitingPosition = position;
  location.hash = `#/analyse/${line.address}`;
}

/**
 * Go over to the match of a file.
 *
 * @param {File} file
 */
function showFile(file) {
  waiting = file;
  location.hash = `#/analyse/${MATCH}`;
}

/**
 * Open what is dropped anywhere, or pasted outside of a field.
 *
 * @param {{openFile: (file: File) => void, openText: (words: string) => void}} view
 * @returns {() => void} what ends it
 */
function receiveFiles(view) {
  const drop = (/** @type {DragEvent} */ event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    const [file] = event.type === "drop" ? event.dataTransfer.files : [];
    if (file) view.openFile(file);
  };
  const paste = (/** @type {ClipboardEvent} */ event) => {
    if (event.target instanceof Element && event.target.closest("input, textarea")) return;
    const [file] = event.clipboardData?.files ?? [];
    const pasted = event.clipboardData?.getData("text/plain").trim();
    if (file) view.openFile(file);
    else if (pasted) view.openText(pasted);
  };
  addEventListener("dragover", drop);
  addEventListener("drop", drop);
  addEventListener("paste", paste);
  return () => {
    removeEventListener("dragover", drop);
    removeEventListener("drop", drop);
    removeEventListener("paste", paste);
  };
}
