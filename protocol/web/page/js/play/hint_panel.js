/** Hints beside the board: the best plays, or what to do with the cube. */

import { h } from "../dom.js";
import { fill, text } from "../text.js";
import { PLIES, loadAnalysis } from "./advice.js";

/** @import { TableView } from "./table_view.js" */

/** @typedef {Awaited<ReturnType<typeof loadAnalysis>>} Analysis */

const words = text.table;

/** The panel. */
export class HintPanel {
  /** @param {TableView} view */
  constructor(view) {
    this.view = view;
    this.asking = new AbortController();
    this.body = h("div");
    this.element = h("section", { class: "panel hint-panel", hidden: true }, h("h2", {}, words.hintsTitle), this.body);
  }

  clear() {
    this.asking.abort();
    this.element.hidden = true;
    this.body.replaceChildren();
  }

  draw() {
    if (!this.view.isAlone) this.element.hidden = true;
  }

  /** Ask the server and show what it says. */
  async ask() {
    const { state } = this.view;
    if (!state?.xgid) return this.showWords(state?.doubles === "two" ? words.hintTwoMoves : words.hintNone);
    this.asking.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    this.showWords(words.hintWait);
    try {
      const analysis = await loadAnalysis();
      if (signal.aborted) return;
      const questions = new analysis.Questions(this.view.context.line, state.variant);
      if (state.phase === "play") {
        const { moves = [] } = await questions.advise(analysis.parseXgid(state.xgid), PLIES, signal);
        if (!signal.aborted) this.showPlays(moves, analysis);
      } else if (state.phase === "roll" || state.phase === "response") {
        const cube = await questions.adviseCube(state.xgid, PLIES, signal);
        if (!signal.aborted) this.showCube(cube, analysis);
      } else this.showWords(words.hintNone);
    } catch (error) {
      if (!signal.aborted) this.showWords(/** @type {Error} */ (error).message);
    }
  }

  /** @param {string} sentence */
  showWords(sentence) {
    this.element.hidden = false;
    this.body.replaceChildren(h("p", {}, sentence));
  }

  /**
   * @param {import("../analyse/questions.js").RankedPlay[]} moves
   * @param {Analysis} analysis
   */
  showPlays(moves, { PlayList, toListed, parsePlay, classify }) {
    const list = new PlayList();
    const listed = toListed(moves);
    const look = (/** @type {typeof listed[0] | null} */ found) =>
      this.view.showArrows(found ? [{ moves: parsePlay(found.play), className: classify(found.loss) }] : []);
    list.addEventListener("look", (event) => look(/** @type {CustomEvent} */ (event).detail));
    list.addEventListener("make", (event) => this.view.play(/** @type {CustomEvent} */ (event).detail.play));
    this.body.replaceChildren(list.element, this.drawDepth(moves[0]?.plies));
    list.show(listed);
    look(listed[0] ?? null);
  }

  /** @param {number | undefined} plies */
  drawDepth(plies) {
    this.view.isAdvised = true;
    return h("p", { class: "small quiet" }, plies === undefined ? "" : `${fill(words.hintDepth, { plies })} `, words.hintCounts);
  }

  /**
   * @param {import("../analyse/questions.js").CubeAnswer} cube
   * @param {Analysis} analysis
   */
  showCube(cube, { formatSigned, formatPercent, formatAction, nameResponse, listDoubles, listResponses }) {
    const { state } = this.view;
    const isAnswer = state?.phase === "response";
    const choices = isAnswer ? listResponses(cube) : listDoubles(cube, (state?.cube?.owner ?? null) !== null);
    const verdict = isAnswer ? nameResponse(cube) : formatAction(cube.action);
    this.body.replaceChildren(h("p", {}, h("strong", {}, verdict)), h("table", {}, h("tbody", {},
      ...choices.map(({ name, equity, mwc }) => h("tr", {}, h("th", { scope: "row" }, name),
        h("td", { class: "number" }, equity === undefined ? formatPercent(mwc, 2) : formatSigned(equity)))))),
    ...(cube.unscaled ? [h("p", { class: "small quiet" }, text.analyse.noScaleMwc)] : []), this.drawDepth(cube.plies));
  }
}
