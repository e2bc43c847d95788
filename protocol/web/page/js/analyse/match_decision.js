/** One action of a match beside its board: what was done, what was best, and what everything is worth. */

import { h } from "../dom.js";
import { fill, text } from "../text.js";
import { explain } from "./explain.js";
import { describeAction } from "./match_lists.js";
import { classify, formatChance, formatLoss, formatPercent, formatSigned } from "./numbers.js";
import { PlayList, drawPlaysKey } from "./play_list.js";

/**
 * @typedef {import("./match_items.js").Item} Item
 * @typedef {import("./match_items.js").Decision} Decision
 */

const words = text.analyse.match;

/** Events: `look` (detail: the play to draw, null for the one that was made and the best). */
export class DecisionPanel extends EventTarget {
  constructor() {
    super();
    this.list = new PlayList({ canMake: false });
    this.list.addEventListener("look", (event) => this.dispatchEvent(new CustomEvent("look", { detail: /** @type {CustomEvent} */ (event).detail })));
    this.head = h("div", { class: "decision-head" });
    this.cubes = h("div", {});
    this.element = h("div", { class: "decision", "aria-live": "off" }, this.head, this.cubes, this.list.element, this.key = drawPlaysKey());
  }

  /**
   * @param {Item} item
   * @param {string[]} names
   */
  show(item, names) {
    const { action, decisions, luck } = item;
    const play = decisions.find(({ decision }) => decision === "play");
    this.head.replaceChildren(
      h("h2", {}, fill(words.decisionTitle, { game: item.game + 1, move: action.move, name: names[action.seat] }), " ", h("span", {}, describeAction(action))),
      ...decisions.filter(({ decision, error }) => decision !== "no double" || error > 0).map((decision) => h("p", { class: "verdict" }, ...describeVerdict(decision))),
      luck === null ? "" : h("p", { class: "small quiet" }, fill(words.luckOfRoll, { luck: formatSigned(luck) }), explain("luck")),
      action.comment ? h("p", { class: "comment" }, action.comment) : "");
    this.cubes.replaceChildren(...decisions.filter(({ decision }) => decision !== "play").map((decision) => drawCube(decision, decision.decision === "no double" && !decision.error)));
    this.list.clear();
    this.list.element.hidden = this.key.hidden = !play?.candidates;
    if (play?.candidates) {
      const [best] = play.candidates;
      this.list.show(play.candidates.map((each) => ({
        play: each.play, equity: each.equity, mwc: each.mwc, depth: each.trials ? `${each.trials} trials` : each.depth, chances: each.outcome,
        loss: each.depth === best.depth ? Math.max(0, best.equity - each.equity) : null, se: each.se, isMade: each.play === play.chosen,
      })));
    }
  }
}

/** @param {Decision} decision */
function describeVerdict({ decision, chosen, best, error, error_mwc: mwc }) {
  const quality = classify(error);
  const mark = h("span", { class: `grade ${quality}`, "aria-hidden": "true" }, text.analyse.marks[quality]);
  if (quality === "best") return [mark, h("span", {}, decision === "play" ? words.bestPlay : words.bestAction)];
  const lost = fill(words.lostBy, { quality: text.analyse.qualities[quality], loss: formatLoss(error), mwc: mwc === null ? "" : ` (${formatPercent(-mwc, 2)} ${text.analyse.mwc})` });
  return [mark, h("span", {}, h("strong", { class: quality }, lost), " ", fill(words.better, { best, chosen }))];
}

/**
 * The equities of a cube decision; closed where there is nothing to learn from it.
 *
 * @param {Decision} decision
 * @param {boolean} isClosed
 */
function drawCube(decision, isClosed) {
  const isMatch = decision.no_double_mwc !== null && decision.no_double_mwc !== undefined;
  const rows = /** @type {[string, any, any][]} */ ([
    [text.analyse.cube.noDouble, decision.no_double, decision.no_double_mwc],
    [text.analyse.cube.doubleTake, decision.double_take, decision.double_take_mwc],
    [text.analyse.cube.doublePass, decision.double_pass, decision.double_pass_mwc],
  ]);
  const { outcome } = decision;
  return h("details", { class: "cube-figures", open: !isClosed }, h("summary", {}, fill(words.cubeDecision, { best: decision.best })),
    h("table", { class: "figures" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, text.analyse.cube.action), h("th", { scope: "col" }, text.analyse.equity), isMatch && h("th", { scope: "col" }, text.analyse.mwc))),
      h("tbody", {}, ...rows.map(([name, equity, mwc]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, formatSigned(equity)),
        isMatch && h("td", { class: "number" }, formatPercent(mwc, 2)))))),
    outcome && h("p", { class: "small quiet number" }, fill(text.analyse.plays.wins, { win: formatChance(outcome[0]), gammon: formatChance(outcome[1]), backgammon: formatChance(outcome[2]) }), " ",
      fill(text.analyse.plays.losses, { lose: formatChance(1 - outcome[0]), gammon: formatChance(outcome[3]), backgammon: formatChance(outcome[4]) }), ` ${decision.depth}`));
}
