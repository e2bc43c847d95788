/** Winning chances of both sides as one bar: backgammons, gammons and single games of each. */

import { h, s } from "../dom.js";
import { fill, text } from "../text.js";
import { explain } from "./explain.js";
import { findEquity, formatPercent, formatSigned } from "./numbers.js";
import { other } from "./xgid.js";

/** @import { Evaluation } from "./questions.js" */
/** @import { SeatNumber } from "./xgid.js" */

const words = text.analyse;
const WIDTH = 1000;
const HEIGHT = 36;

/** The bar above the board; `show` draws it. */
export class EvaluationBar {
  constructor() {
    this.drawing = s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "bar-drawing", "aria-hidden": "true" });
    this.sides = [h("span", { class: "bar-side" }), h("span", { class: "bar-side bar-right" })];
    this.worth = h("span", { class: "bar-worth number" });
    this.element = h("div", { class: "evaluation-bar", role: "group", "aria-label": words.bar.name },
      this.drawing, h("div", { class: "bar-words" }, this.sides[0], this.worth, this.sides[1]));
    this.clear();
  }

  /** @param {boolean} [isHidden] whether there is an evaluation that is not to be seen */
  clear(isHidden = false) {
    this.drawing.replaceChildren(s("rect", { class: "bar-none", width: WIDTH, height: HEIGHT }));
    this.worth.replaceChildren(isHidden ? words.bar.hidden : words.bar.none);
    for (const side of this.sides) side.replaceChildren();
  }

  /**
   * @param {Evaluation} evaluation
   * @param {SeatNumber} seat whose chances of winning these are
   * @param {SeatNumber} left the seat whose chances are on the left
   */
  show(evaluation, seat, left) {
    const chances = bySeat(evaluation, seat);
    const [mine, theirs] = [chances[left], chances[other(left)]];
    const parts = [
      [mine.backgammons, `bar-${left} bar-backgammon`],
      [mine.gammons - mine.backgammons, `bar-${left} bar-gammon`],
      [mine.wins - mine.gammons, `bar-${left}`],
      [theirs.wins - theirs.gammons, `bar-${other(left)}`],
      [theirs.gammons - theirs.backgammons, `bar-${other(left)} bar-gammon`],
      [theirs.backgammons, `bar-${other(left)} bar-backgammon`],
    ];
    let x = 0;
    this.drawing.replaceChildren(...parts.map(([share, style]) => {
      const width = Math.max(0, Number(share)) * WIDTH;
      const part = s("rect", { class: style, x: x.toFixed(1), y: 0, width: width.toFixed(1), height: HEIGHT });
      x += width;
      return part;
    }), s("rect", { class: "bar-middle", x: WIDTH / 2 - 1.5, y: 0, width: 3, height: HEIGHT }));
    [left, other(left)].forEach((side, place) => this.sides[place].replaceChildren(...formatSide(side, chances[side])));
    const equity = findEquity(evaluation);
    const line = (/** @type {string} */ words_, /** @type {"equity" | "mwc"} */ term) => h("span", { class: "worth-line" }, words_, explain(term));
    this.worth.replaceChildren(line(fill(words.bar.worth, { side: words.sides[seat], equity: equity === null ? "\u2013" : formatSigned(equity) }), "equity"),
      ...(equity === null ? [h("span", { class: "worth-line small quiet" }, text.analyse.noScale)] : []),
      ...(evaluation.mwc === undefined ? [] : [line(fill(words.bar.mwc, { mwc: formatPercent(evaluation.mwc) }), "mwc")]));
  }
}

/**
 * @param {Evaluation} evaluation
 * @param {SeatNumber} seat
 */
function bySeat(evaluation, seat) {
  const own = { wins: evaluation.win, gammons: evaluation.win_g, backgammons: evaluation.win_bg };
  const others = { wins: 1 - evaluation.win, gammons: evaluation.lose_g, backgammons: evaluation.lose_bg };
  return seat === 0 ? [own, others] : [others, own];
}

/**
 * @param {SeatNumber} seat
 * @param {{wins: number, gammons: number, backgammons: number}} chances
 */
function formatSide(seat, { wins, gammons, backgammons }) {
  return [
    h("span", { class: `dot dot-${seat}`, "aria-hidden": "true" }),
    h("span", {}, words.sides[seat], " ", h("strong", { class: "number" }, formatPercent(wins))),
    h("span", { class: "quiet small number" }, fill(words.bar.gammons, { gammons: formatPercent(gammons), backgammons: formatPercent(backgammons) })),
  ];
}
