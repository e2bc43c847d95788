/** The cube action at every score, as a coloured grid with letters; a field shows its equities and sets the score. */

import { button, choice, h, labelled } from "../dom.js";
import { fill, text } from "../text.js";
import { explain } from "./explain.js";
import { formatSeconds, formatSigned } from "./numbers.js";

/** @import { Setting } from "./xgid.js" */

/**
 * @typedef {{away: number, actions: string, no_double?: (number | null)[], take?: (number | null)[], drop?: (number | null)[]}} MatrixRow
 * @typedef {{away: number, cube: number, money: string, plies: number, rows: MatrixRow[]}} Matrix
 */

const words = text.analyse.matrix;
const SIZES = ["5", "7", "9", "11", "15", "25"];

/** Events: `ask` (no detail: `size` has what is wanted), `stop`, `use` (detail: `{mine, theirs}` points away). */
export class ScoreMatrix extends EventTarget {
  constructor() {
    super();
    const ask = () => this.dispatchEvent(new Event("ask"));
    this.sizeChoice = choice(SIZES.map((size) => [size, fill(words.size, { size })]), "9", { onchange: ask });
    this.pliesChoice = choice(["0", "1", "2"].map((plies) => [plies, `${plies}-ply`]), "0", { onchange: ask });
    this.status = h("p", { class: "quiet small", role: "status" });
    this.stop = button(text.analyse.stop, () => this.dispatchEvent(new Event("stop")), { hidden: true });
    this.grid = h("div", { class: "scroll" });
    this.details = h("p", { class: "matrix-details", "aria-live": "polite" }, words.hint);
    this.legend = h("ul", { class: "legend small", "aria-label": words.legend });
    this.use = h("button", { type: "button", hidden: true }, words.use);
    this.element = h("div", { class: "score-matrix" },
      h("p", { class: "quiet small" }, words.about, explain("matrix")),
      h("div", { class: "row" }, labelled(words.sizeLabel, this.sizeChoice), labelled(text.analyse.depth, this.pliesChoice), this.stop),
      this.status, this.grid, this.details, this.use, this.legend);
    /** @type {Matrix | null} */
    this.matrix = null;
  }

  /** Whether a double is a redouble. */
  get isAgain() {
    return (this.matrix?.cube ?? 1) > 1;
  }

  get actions() {
    return this.isAgain ? words.actionsAgain : words.actions;
  }

  get size() {
    return { away: Number(this.sizeChoice.value), plies: Number(this.pliesChoice.value) };
  }

  /** @param {number} doneMs time so far */
  showProgress(doneMs) {
    this.stop.hidden = false;
    this.status.textContent = fill(words.working, { time: formatSeconds(doneMs) });
  }

  /**
   * Show why there is no matrix; one of another position does not stay.
   *
   * @param {string} message
   */
  showFailure(message) {
    this.stop.hidden = this.use.hidden = true;
    this.grid.replaceChildren();
    this.details.textContent = "";
    this.status.textContent = message;
  }

  /**
   * @param {Matrix} matrix
   * @param {Setting} setting
   * @param {number} ms
   */
  show(matrix, setting, ms) {
    this.matrix = matrix;
    this.stop.hidden = true;
    this.use.hidden = true;
    this.details.textContent = words.hint;
    this.status.textContent = fill(words.done, { plies: matrix.plies, time: formatSeconds(ms) });
    const mover = setting.on_roll;
    const current = setting.length ? [setting.length - setting.score[mover], setting.length - setting.score[1 - mover]] : null;
    const numbers = matrix.rows.map(({ away }) => away);
    this.grid.replaceChildren(h("table", { class: "grid matrix" },
      h("caption", { class: "small quiet" }, words.caption),
      h("thead", {}, h("tr", {}, h("td", {}), ...numbers.map((away) => h("th", { scope: "col" }, fill(words.theyNeed, { away }))))),
      h("tbody", {}, ...matrix.rows.map((row) => h("tr", {}, h("th", { scope: "row" }, fill(words.youNeed, { away: row.away })),
        ...[...row.actions].map((letter, place) => this.drawCell(row, place, letter, current))))),
    ), h("p", { class: "small" }, words.money, " ", h("span", { class: `letter action-${nameAction(matrix.money)}` }, matrix.money), " ",
      this.actions[nameAction(matrix.money)]));
    this.legend.replaceChildren(...this.drawLegend());
    this.grid.querySelector("table")?.addEventListener("keydown", (event) => moveFocus(/** @type {KeyboardEvent} */ (event)));
    const first = this.grid.querySelector(".current") ?? this.grid.querySelector("td button");
    first?.setAttribute("tabindex", "0");
  }

  /**
   * @param {MatrixRow} row
   * @param {number} place
   * @param {string} letter
   * @param {number[] | null} current points away of the position's score
   */
  drawCell(row, place, letter, current) {
    const isCurrent = current !== null && current[0] === row.away && current[1] === place + 1;
    const name = nameAction(letter);
    return h("td", {}, h("button", {
      type: "button", tabindex: -1, class: `cell action-${name}${isCurrent ? " current" : ""}`,
      "aria-label": fill(words.cell, { mine: row.away, theirs: place + 1, action: this.actions[name] }),
      onfocus: () => this.describe(row, place, letter), onmouseenter: () => this.describe(row, place, letter),
      onclick: () => this.describe(row, place, letter),
    }, letter === "-" ? "\u2013" : letter));
  }

  drawLegend() {
    return ["N", "D", "P", "T", "-"].map((letter) =>
      h("li", {}, h("span", { class: `letter action-${nameAction(letter)}`, "aria-hidden": "true" }, letter === "-" ? "\u2013" : letter),
        this.actions[nameAction(letter)]));
  }

  /**
   * @param {MatrixRow} row
   * @param {number} place
   * @param {string} letter
   */
  describe(row, place, letter) {
    const values = { mine: row.away, theirs: place + 1, action: this.actions[nameAction(letter)] };
    const [held, take, drop] = [row.no_double?.[place], row.take?.[place], row.drop?.[place]];
    const names = this.isAgain ? text.analyse.cube.again : text.analyse.cube;
    const rows = take === null || take === undefined ? [[words.worth, held]] : [[names.noDouble, held], [names.doubleTake, take], [names.doublePass, drop]];
    this.details.replaceChildren(fill(words.cell, values), h("span", { class: "matrix-equities" },
      ...rows.map(([name, equity]) => h("span", {}, `${name} `, h("b", { class: "number" }, formatSigned(/** @type {number} */ (equity)))))));
    this.use.hidden = false;
    this.use.onclick = () => this.dispatchEvent(new CustomEvent("use", { detail: { mine: row.away, theirs: place + 1 } }));
  }
}

/** @typedef {keyof typeof words.actions} ActionName */

/**
 * @param {string} letter
 * @returns {ActionName}
 */
function nameAction(letter) {
  return /** @type {Record<string, ActionName>} */ ({ N: "noDouble", D: "double", P: "pass", T: "tooGood" })[letter] ?? "none";
}

/**
 * Arrow keys walk over the grid.
 *
 * @param {KeyboardEvent} event
 */
function moveFocus(event) {
  const step = /** @type {Record<string, number[]>} */ ({ ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] })[event.key];
  const cell = /** @type {HTMLElement} */ (event.target).closest("td");
  if (!step || !cell) return;
  const row = /** @type {HTMLTableRowElement} */ (cell.parentElement);
  const rows = /** @type {HTMLTableSectionElement} */ (row.parentElement).rows;
  const next = rows[row.sectionRowIndex + step[0]]?.cells[cell.cellIndex + step[1]]?.querySelector("button");
  if (!next) return;
  event.preventDefault();
  cell.querySelector("button")?.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}
