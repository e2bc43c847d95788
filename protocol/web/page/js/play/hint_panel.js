/** Hints beside the board: the best plays, or what to do with the cube. */

import { h } from "../dom.js";
import { fill, text } from "../text.js";
import { Advice, loadAnalysis } from "./advice.js";

/** @import { TableView } from "./table_view.js" */

/** @typedef {Awaited<ReturnType<typeof loadAnalysis>>} Analysis */

const words = text.table;

/** The panel. */
export class HintPanel {
  /** @param {TableView} view */
  constructor(view) {
    this.view = view;
    this.advice = new Advice(view.context.line);
    this.body = h("div");
    this.element = h("section", { class: "panel hint-panel", hidden: true }, h("h2", {}, words.hintsTitle), this.body);
    this.number = 0;
  }

  clear() {
    this.number++;
    this.advice.stop();
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
    const number = ++this.number;
    this.showWords(words.hintWait);
    try {
      const analysis = await loadAnalysis();
      if (state.phase === "play") {
        const moves = await this.advice.rankPlays(state);
        if (number === this.number) this.showPlays(moves, analysis);
      } else if (state.phase === "roll" || state.phase === "response") {
        const cube = await this.advice.askCube(state);
        if (number === this.number) this.showCube(cube, analysis);
      } else this.showWords(words.hintNone);
    } catch (error) {
      if (number === this.number) this.showWords(/** @type {Error} */ (error).message);
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
  showCube(cube, { formatSigned, formatPercent, formatAction, nameResponse, listResponses }) {
    const { state } = this.view;
    const isAnswer = state?.phase === "response";
    const names = (state?.cube?.owner ?? null) === null ? words : words.redoubles;
    const rows = /** @type {[string, number | undefined, number | undefined][]} */ (
      isAnswer ? listResponses(cube).map(({ name, equity, mwc }) => [name, equity, mwc])
        : [[names.noDoubleEquity, cube.no_double, cube.mwc_no_double], [names.takeEquity, cube.take, cube.mwc_take], [names.dropEquity, cube.drop, cube.mwc_drop]]);
    const verdict = isAnswer ? nameResponse(cube) : formatAction(cube.action);
    this.body.replaceChildren(h("p", {}, h("strong", {}, verdict)), h("table", {}, h("tbody", {},
      ...rows.map(([label, equity, mwc]) => h("tr", {}, h("th", { scope: "row" }, label),
        h("td", { class: "number" }, equity === undefined ? formatPercent(mwc, 2) : formatSigned(equity)))))),
    ...(cube.unscaled ? [h("p", { class: "small quiet" }, text.analyse.noScaleMwc)] : []), this.drawDepth(cube.plies));
  }
}
