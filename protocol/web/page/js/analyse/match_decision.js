/** One action of a match beside its board: what was done, what was best, and what everything is worth. */

import { h } from "../dom.js";
import { fill, text } from "../text.js";
import { hasOwner, listDoubles, listResponses, nameCubeAction } from "./cube_words.js";
import { explain } from "./explain.js";
import { getKind, sizeOf } from "./match_items.js";
import { describeAction } from "./match_lists.js";
import { classify, formatChance, formatInterval, formatPercent, formatSigned } from "./numbers.js";
import { PlayList, drawPlaysKey } from "./play_list.js";

/** @import { Decision, Item } from "./match_items.js" */

/** @typedef {{source: string, item: Item}} Analysed an action as an analysis has it */

const words = text.analyse.match;
const FIRST_SHOWN = 5;

/** Events: `look` (detail: the play to draw, null for the one that was made and the best). */
export class DecisionPanel extends EventTarget {
  constructor() {
    super();
    this.head = h("div", { class: "decision-head" });
    this.verdicts = [new VerdictPanel(this), new VerdictPanel(this)];
    this.element = h("div", { class: "decision", "aria-live": "off" }, this.head,
      h("div", { class: "decision-verdicts" }, ...this.verdicts.map(({ element }) => element)), this.key = drawPlaysKey());
  }

  /**
   * @param {Analysed[]} analysed the action by one analysis, or by two; the one that the page goes by first
   * @param {string[]} names
   * @param {string} facts the score, the rules and the cube
   */
  show(analysed, names, facts) {
    const [{ item: { action, game } }] = analysed;
    this.head.replaceChildren(
      h("h2", {}, fill(words.decisionTitle, { game: game + 1, move: action.move, name: names[action.seat] }), " ", h("span", {}, describeAction(action))),
      h("p", { class: "small quiet" }, facts),
      action.comment ? h("p", { class: "comment" }, action.comment) : "");
    this.verdicts.forEach((panel, place) => panel.show(analysed[place], analysed.length > 1));
    this.key.hidden = !analysed.some(({ item }) => findPlay(item)?.candidates);
  }
}

/** What one analysis says of an action. */
class VerdictPanel {
  /** @param {EventTarget} parent takes the event `look` */
  constructor(parent) {
    this.list = new PlayList({ canMake: false, first: FIRST_SHOWN });
    this.list.addEventListener("look", (event) => parent.dispatchEvent(new CustomEvent("look", { detail: /** @type {CustomEvent} */ (event).detail })));
    this.head = h("div", {});
    this.cubes = h("div", {});
    this.element = h("section", {}, this.head, this.cubes, this.list.element);
  }

  /**
   * @param {Analysed | undefined} analysed nothing hides the panel
   * @param {boolean} isNamed whether the source is named
   */
  show(analysed, isNamed) {
    this.element.hidden = !analysed;
    this.list.clear();
    if (!analysed) return;
    const { source, item: { decisions, luck } } = analysed;
    const play = findPlay(analysed.item);
    this.head.replaceChildren(
      isNamed ? h("h3", { class: "verdict-source" }, source, explain("plies")) : "",
      ...decisions.filter((each) => each.decision !== "no double" || sizeOf(each) > 0).map((decision) => h("p", { class: "verdict" }, ...describeVerdict(decision))),
      isNamed && !decisions.length ? h("p", { class: "quiet" }, words.notAnalysed) : "",
      luck === null ? "" : h("p", { class: "small quiet" }, fill(words.luckOfRoll, { luck: formatSigned(luck) }), explain("luck")));
    this.cubes.replaceChildren(...decisions.filter(({ decision }) => decision !== "play").map((decision) => drawCube(decision, decision.decision === "no double" && !sizeOf(decision))));
    this.list.element.hidden = !play?.candidates;
    if (play?.candidates) this.list.show(listCandidates(play));
  }
}

/** @param {Item} item */
function findPlay({ decisions }) {
  return decisions.find(({ decision }) => decision === "play");
}

/**
 * The plays that were considered; what one loses is known where it was looked at as deep as the best.
 *
 * @param {Decision} play
 */
function listCandidates({ candidates = [], chosen, illegal }) {
  const [best] = candidates;
  return candidates.map((each) => ({
    play: each.play, equity: each.equity, mwc: each.mwc, depth: each.trials ? fill(text.analyse.rollout.after, { trials: each.trials.toLocaleString("en") }) : each.depth,
    chances: each.outcome, loss: each.depth === best.depth && each.equity !== null && best.equity !== null ? Math.max(0, best.equity - each.equity) : null, se: each.se, isMade: each.play === chosen && !illegal,
  }));
}

/** @param {Decision} analysed */
function describeVerdict(analysed) {
  const { decision, chosen, best, error, error_mwc: mwc, xgid, illegal } = analysed;
  if (illegal) return [h("span", {}, h("strong", {}, words.illegalPlay), " ", fill(words.better, { best, chosen }))];
  const quality = classify(sizeOf(analysed));
  const mark = h("span", { class: `grade ${quality}`, "aria-hidden": "true" }, text.analyse.marks[quality]);
  if (quality === "best") return [mark, h("span", {}, decision === "play" ? words.bestPlay : words.bestAction)];
  const lost = fill(words.lostBy, { quality: text.analyse.qualities[quality], loss: error === null ? "\u2013" : error.toFixed(3), mwc: mwc === null ? "" : ` (${formatPercent(mwc, 2)} ${text.analyse.mwc})` });
  const better = fill(words.better, { best: nameCubeAction(best, xgid), chosen: nameCubeAction(chosen, xgid) });
  return [mark, h("span", {}, h("strong", { class: quality }, lost), " ", better)];
}

/**
 * What could be chosen, as it is worth to whoever decides, with the standard error of its equity.
 *
 * @param {Decision} decision
 */
function listChoices(decision) {
  const cube = {
    no_double: decision.no_double ?? undefined, take: decision.double_take ?? undefined, drop: decision.double_pass ?? undefined,
    mwc_no_double: decision.no_double_mwc ?? undefined, mwc_take: decision.double_take_mwc ?? undefined, mwc_drop: decision.double_pass_mwc ?? undefined,
  };
  const isAnswer = getKind(decision) === "responses";
  const errors = isAnswer ? [decision.double_take_se] : [decision.no_double_se, decision.double_take_se];
  const choices = isAnswer ? listResponses(cube) : listDoubles(cube, hasOwner(decision.xgid));
  return choices.map((each, place) => ({ ...each, se: errors[place] }));
}

/**
 * Chances as the other side has them.
 *
 * @param {number[] | null | undefined} outcome
 */
function turnOutcome(outcome) {
  if (!outcome) return outcome;
  const [win, gammon, backgammon, loseGammon, loseBackgammon] = outcome;
  return [1 - win, loseGammon, loseBackgammon, gammon, backgammon];
}

/**
 * The equities of a cube decision; closed where there is nothing to learn from it.
 *
 * @param {Decision} decision
 * @param {boolean} isClosed
 */
function drawCube(decision, isClosed) {
  const isMatch = decision.no_double_mwc !== null && decision.no_double_mwc !== undefined;
  const outcome = getKind(decision) === "responses" ? turnOutcome(decision.outcome) : decision.outcome;
  return h("details", { class: "cube-figures", open: !isClosed }, h("summary", {}, fill(words.cubeDecision, { best: nameCubeAction(decision.best, decision.xgid) })),
    h("table", { class: "figures" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, text.analyse.cube.action), h("th", { scope: "col" }, text.analyse.equity), isMatch && h("th", { scope: "col" }, text.analyse.mwc))),
      h("tbody", {}, ...listChoices(decision).map(({ name, equity, mwc, se }) => h("tr", {}, h("th", { scope: "row" }, name),
        h("td", { class: "number" }, formatSigned(equity), se === undefined ? "" : ` ${formatInterval(se)}`),
        isMatch && h("td", { class: "number" }, formatPercent(mwc, 2)))))),
    outcome && h("p", { class: "small quiet number" }, fill(text.analyse.plays.wins, { win: formatChance(outcome[0]), gammon: formatChance(outcome[1]), backgammon: formatChance(outcome[2]) }), " ",
      fill(text.analyse.plays.losses, { lose: formatChance(1 - outcome[0]), gammon: formatChance(outcome[3]), backgammon: formatChance(outcome[4]) }), ` ${decision.depth}`));
}
