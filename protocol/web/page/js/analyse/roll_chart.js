/** The 21 rolls as a grid: what each is worth with its best play; a click sets the roll. */

import { h } from "../dom.js";
import { fill, text } from "../text.js";
import { explain } from "./explain.js";
import { formatPercent, formatSigned } from "./numbers.js";

const words = text.analyse;
const STEPS = [-0.35, -0.15, -0.05, 0.05, 0.15, 0.35];

/** Events: `choose` (detail: the two dice). */
export class RollChart extends EventTarget {
  constructor() {
    super();
    this.note = h("p", { class: "quiet small" }, words.rolls.hint, explain("luck"));
    this.body = h("tbody", {});
    this.element = h("div", { class: "roll-chart" }, this.note,
      h("table", { class: "grid rolls", "aria-label": words.rolls.name },
        h("thead", {}, h("tr", {}, h("td", {}), ...DICE.map((die) => h("th", { scope: "col" }, String(die))))), this.body));
    this.show(null);
  }

  /**
   * @param {Map<string, {equity: number | null, mwc?: number, play: string}> | null} rolls by the two dice, the larger first
   */
  show(rolls) {
    const mean = rolls ? computeMean(rolls) : 0;
    this.body.replaceChildren(...DICE.map((low) => h("tr", {}, h("th", { scope: "row" }, String(low)), ...DICE.map((high) => {
      if (high < low) return h("td", { class: "outside" });
      const found = rolls?.get(`${high}${low}`);
      const luck = found ? toPoints(found) - mean : 0;
      const said = (/** @type {number} */ digits) => (!found ? "" : found.equity === null ? formatPercent(found.mwc) : formatSigned(found.equity, digits));
      const level = found ? STEPS.filter((step) => luck >= step).length : 3;
      return h("td", {}, h("button", {
        type: "button", class: `cell level-${level}`, title: found && fill(words.rolls.cell, { play: found.play, luck: formatSigned(luck) }),
        "aria-label": fill(words.rolls.label, { roll: `${high}-${low}`, equity: said(3) }),
        onclick: () => this.dispatchEvent(new CustomEvent("choose", { detail: [high, low] })),
      }, h("b", {}, `${high}${low}`), h("small", { class: "number" }, found ? said(2) : "\u2026")));
    }))));
  }
}

const DICE = [1, 2, 3, 4, 5, 6];

/** The dice of all rolls, the larger first. */
export const ROLLS = DICE.flatMap((low) => DICE.filter((high) => high >= low).map((high) => [high, low]));

/** @param {Map<string, {equity: number | null, mwc?: number}>} rolls */
function computeMean(rolls) {
  let sum = 0;
  for (const [dice, found] of rolls) sum += toPoints(found) * (dice[0] === dice[1] ? 1 : 2);
  return sum / 36;
}

/**
 * What a roll is worth in points: those of double match point where points have no scale.
 *
 * @param {{equity: number | null, mwc?: number}} found
 */
function toPoints({ equity, mwc }) {
  return equity ?? 2 * (mwc ?? 0.5) - 1;
}
