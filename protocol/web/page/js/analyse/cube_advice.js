/** The cube decision: what to do in words, what each way is worth, and the buttons to do it. */

import { button, h } from "../dom.js";
import { fill, text, wordFor } from "../text.js";
import { isRedouble, listDoubles, listResponses } from "./cube_words.js";
import { explain } from "./explain.js";
import { formatPercent, formatSigned, measure } from "./numbers.js";
import { hasCube } from "./xgid.js";

/** @import { Choice } from "./cube_words.js" */
/** @import { CubeAnswer, Evaluation } from "./questions.js" */
/** @import { Setting } from "./xgid.js" */

const words = text.analyse;

/** Events: `act` (detail: `double`, `take`, `drop` or `beaver`). */
export class CubeAdvice extends EventTarget {
  constructor() {
    super();
    this.element = h("div", { class: "cube-advice" });
    this.clear();
  }

  clear() {
    this.element.replaceChildren(h("p", { class: "quiet" }, words.thinking));
  }

  /**
   * @param {Setting} setting
   * @param {CubeAnswer} cube
   * @param {Evaluation} [evaluation] before the roll
   */
  show(setting, cube, evaluation) {
    if (!hasCube(setting)) {
      this.element.replaceChildren(h("p", {}, words.cube.noCube));
      return;
    }
    const isOffered = setting.cube.offered;
    const isAgain = isRedouble(setting);
    this.element.replaceChildren(
      h("p", { class: "verdict" }, h("strong", {}, isOffered ? nameResponse(cube) : formatAction(cube.action)), explain("cube")),
      ...(!canDouble(cube) ? [h("p", {}, words.cube.none)] : [
        isOffered ? drawTable(listResponses(cube), fill(words.cube.equityOf, { side: words.sides[1 - setting.on_roll] })) : drawTable(listDoubles(cube, isAgain), words.equity),
        h("p", {}, isOffered ? "" : `${explainDouble(cube, isAgain)} `, explainResponse(cube, isAgain)),
        ...(cube.unscaled ? [h("p", { class: "small quiet" }, words.noScale)] : []),
      ]),
      ...(evaluation && setting.length === 0 && cube.take !== undefined
        ? [h("p", { class: "quiet small" }, fill(words.cube.takePoint, { chance: formatPercent(1 - evaluation.win) }), explain("takePoint"))] : []),
      this.drawActions(setting, cube),
      h("p", { class: "quiet small" }, `${cube.plies}-ply`, explain("plies")),
    );
  }

  /**
   * Show what can be done, without what it is worth.
   *
   * @param {Setting} setting
   * @param {CubeAnswer} cube
   */
  hideAnswer(setting, cube) {
    if (hasCube(setting)) this.element.replaceChildren(this.drawActions(setting, cube));
  }

  /**
   * @param {Setting} setting
   * @param {CubeAnswer} cube
   */
  drawActions(setting, cube) {
    const actions = setting.cube.offered ? ["take", "drop", ...(setting.length === 0 && setting.beavers ? ["beaver"] : [])]
      : setting.dice || !canDouble(cube) ? [] : ["double"];
    const names = { ...words.cube.buttons, ...(isRedouble(setting) && { double: words.cube.again.button }) };
    return h("div", { class: "row" }, ...actions.map((action) =>
      button(wordFor(names, action), () => this.dispatchEvent(new CustomEvent("act", { detail: action })))));
  }
}

/**
 * @param {Choice[]} choices
 * @param {string} equityTitle
 */
function drawTable(choices, equityTitle) {
  const isMatch = choices.some(({ mwc }) => mwc !== undefined);
  const best = choices.find(({ isBest }) => isBest)?.equity;
  return h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.cube.action), h("th", { scope: "col" }, equityTitle),
      h("th", { scope: "col" }, words.cube.difference), isMatch && h("th", { scope: "col" }, words.mwc))),
    h("tbody", {}, ...choices.map(({ name, equity, mwc, isBest }) => h("tr", { class: isBest && "best-row" },
      h("th", { scope: "row" }, name, isBest && h("span", { class: "grade best", title: words.qualities.best }, words.marks.best)),
      h("td", { class: "number" }, equity === undefined ? "\u2013" : formatSigned(equity)),
      h("td", { class: "number" }, isBest || equity === undefined || best === undefined ? "" : formatSigned(equity - best)),
      isMatch && h("td", { class: "number" }, formatPercent(mwc, 2))))));
}

/** @typedef {"no_double" | "take" | "drop"} ChoiceName */

/**
 * By how much a choice is better than another for the side on roll.
 *
 * @param {CubeAnswer} cube
 * @param {ChoiceName} one
 * @param {ChoiceName} other
 */
export function compareChoices(cube, one, other) {
  const [equity, otherEquity] = [cube[one], cube[other]];
  const points = equity === undefined || otherEquity === undefined ? null : equity - otherEquity;
  return measure(points, (cube[`mwc_${one}`] ?? 0) - (cube[`mwc_${other}`] ?? 0));
}

/**
 * Whether a double is possible and of use.
 *
 * @param {CubeAnswer} cube
 */
function canDouble({ take, mwc_take: mwcTake }) {
  return take !== undefined || mwcTake !== undefined;
}

/**
 * A cube action in the page's words.
 *
 * @param {string} action as the server names it
 */
export function formatAction(action) {
  const verdicts = /** @type {Record<string, string>} */ (words.cube.verdicts);
  return action.split(", ").map((part) => verdicts[part] ?? part).join(", ");
}

/**
 * The proper answer to a double.
 *
 * @param {CubeAnswer} cube
 */
export function nameResponse({ response }) {
  return response ? words.cube.buttons[response] : words.cube.none;
}

/**
 * @param {CubeAnswer} cube
 * @param {boolean} isAgain whether a double is a redouble
 */
function explainDouble(cube, isAgain) {
  const names = isAgain ? words.cube.again : words.cube;
  const answer = compareChoices(cube, "take", "drop").size > 0 ? "drop" : "take";
  const { size, said } = compareChoices(cube, answer, "no_double");
  if (cube.double) return fill(names.doubleGains, { points: said });
  const isTooGood = size < 0 && compareChoices(cube, "no_double", "drop").size > 0;
  return fill(isTooGood ? words.cube.tooGood : names.doubleLoses, { points: said });
}

/**
 * @param {CubeAnswer} cube
 * @param {boolean} isAgain whether a double is a redouble
 */
function explainResponse(cube, isAgain) {
  const names = isAgain ? words.cube.again : words.cube;
  const { size, said } = compareChoices(cube, "drop", "take");
  if (cube.response === "beaver") return words.cube.beaverRight;
  return fill(size >= 0 ? names.takeRight : names.passRight, { points: said });
}
