/** The cube decision: what to do in words, what each way is worth, and the buttons to do it. */

import { h } from "../dom.js";
import { fill, text } from "../text.js";
import { isRedouble } from "./cube_words.js";
import { explain } from "./explain.js";
import { formatPercent, formatSigned } from "./numbers.js";
import { hasCube } from "./xgid.js";

/**
 * @typedef {import("./questions.js").CubeAnswer} CubeAnswer
 * @typedef {import("./questions.js").Evaluation} Evaluation
 * @typedef {import("./xgid.js").Setting} Setting
 */

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
    this.element.replaceChildren(
      h("p", { class: "verdict" }, h("strong", {}, setting.cube.offered ? nameResponse(cube) : formatAction(cube.action)), explain("cube")),
      ...(cube.take === undefined ? [h("p", {}, words.cube.none)] : [
        this.drawTable(cube, isRedouble(setting)),
        h("p", {}, explainDouble(cube, isRedouble(setting)), " ", explainResponse(cube, isRedouble(setting))),
      ]),
      ...(evaluation && setting.length === 0 && cube.take !== undefined
        ? [h("p", { class: "quiet small" }, fill(words.cube.takePoint, { chance: formatPercent(1 - evaluation.win) }), explain("takePoint"))] : []),
      this.drawActions(setting, cube),
      h("p", { class: "quiet small" }, `${cube.plies}-ply`, explain("plies")),
    );
  }

  /**
   * @param {CubeAnswer} cube
   * @param {boolean} isRedouble
   */
  drawTable(cube, isRedouble) {
    const names = isRedouble ? words.cube.again : words.cube;
    const rows = /** @type {[string, number | undefined, number | undefined][]} */ ([
      [names.noDouble, cube.no_double, cube.mwc_no_double],
      [names.doubleTake, cube.take, cube.mwc_take],
      [names.doublePass, cube.drop, cube.mwc_drop],
    ]);
    const isMatch = cube.mwc_best !== undefined;
    const best = !cube.double ? 0 : cube.response === "drop" ? 2 : 1;
    return h("table", { class: "figures" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.cube.action), h("th", { scope: "col" }, words.equity),
        h("th", { scope: "col" }, words.cube.difference), isMatch && h("th", { scope: "col" }, words.mwc))),
      h("tbody", {}, ...rows.map(([name, equity, mwc], place) => h("tr", { class: place === best && "best-row" },
        h("th", { scope: "row" }, name, place === best && h("span", { class: "grade best", title: words.qualities.best }, words.marks.best)),
        h("td", { class: "number" }, formatSigned(equity)),
        h("td", { class: "number" }, place === best || equity === undefined ? "" : formatSigned(equity - cube.best)),
        isMatch && h("td", { class: "number" }, formatPercent(mwc, 2))))));
  }

  /**
   * @param {Setting} setting
   * @param {CubeAnswer} cube
   */
  drawActions(setting, cube) {
    const actions = setting.cube.offered ? ["take", "drop", ...(setting.length === 0 && setting.beavers ? ["beaver"] : [])]
      : setting.dice || cube.take === undefined ? [] : ["double"];
    return h("div", { class: "row" }, ...actions.map((action) => h("button", {
      type: "button", onclick: () => this.dispatchEvent(new CustomEvent("act", { detail: action })),
    }, action === "double" && isRedouble(setting) ? words.cube.again.button : words.cube.buttons[/** @type {keyof typeof words.cube.buttons} */ (action)])));
  }
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

/** @param {CubeAnswer} cube */
function nameResponse({ response }) {
  return response ? words.cube.buttons[response] : words.cube.none;
}

/**
 * @param {CubeAnswer} cube
 * @param {boolean} isAgain whether a double is a redouble
 */
function explainDouble(cube, isAgain) {
  const names = isAgain ? words.cube.again : words.cube;
  const doubled = Math.min(cube.take ?? 0, cube.drop ?? 1);
  const difference = doubled - cube.no_double;
  const points = Math.abs(difference).toFixed(3);
  if (cube.double) return fill(names.doubleGains, { points });
  return difference < 0 && cube.no_double > (cube.drop ?? 1) ? fill(words.cube.tooGood, { points }) : fill(names.doubleLoses, { points });
}

/**
 * @param {CubeAnswer} cube
 * @param {boolean} isAgain whether a double is a redouble
 */
function explainResponse(cube, isAgain) {
  const names = isAgain ? words.cube.again : words.cube;
  const margin = (cube.drop ?? 1) - (cube.take ?? 0);
  const points = Math.abs(margin).toFixed(3);
  if (cube.response === "beaver") return words.cube.beaverRight;
  return fill(margin >= 0 ? names.takeRight : names.passRight, { points });
}
