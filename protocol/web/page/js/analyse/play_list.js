/** The plays of a roll, best first: what each is worth and loses; hovered, focused or chosen, it is drawn. */

import { h } from "../dom.js";
import { fill, text } from "../text.js";
import { explain } from "./explain.js";
import { classify, findEquity, formatChance, formatInterval, formatLoss, formatPercent, formatSigned, measure } from "./numbers.js";

/** @import { RankedPlay } from "./questions.js" */

/**
 * @typedef {{play: string, equity: number | null, mwc?: number | null, loss: number | null, depth: string, chances: number[] | null,
 *   se?: number, isMade?: boolean, lossSaid?: string}} ListedPlay where points have no scale there is no equity, and the
 *   loss is its size, written as `lossSaid`
 */

const words = text.analyse;
const FIRST_SHOWN = 10;

/**
 * Plays of the server as the list has them. What a play loses is the difference to the best at one depth: none is known
 * of plays that were not looked at as deep.
 *
 * @param {RankedPlay[]} moves
 * @returns {ListedPlay[]}
 */
export function toListed(moves) {
  return moves.map((each) => ({
    play: each.play,
    equity: findEquity(each),
    mwc: each.mwc,
    ...compare(moves[0], each),
    depth: `${each.plies}-ply`,
    chances: [each.win, each.win_g, each.win_bg, each.lose_g, each.lose_bg],
  }));
}

/**
 * What a play loses against the best one.
 *
 * @param {RankedPlay} best
 * @param {RankedPlay} play
 * @returns {{loss: number | null, lossSaid?: string}}
 */
function compare(best, play) {
  if (!play.survived) return { loss: null };
  const [most, own] = [findEquity(best), findEquity(play)];
  if (most !== null && own !== null) return { loss: Math.max(0, most - own) };
  return compareChances(best, play);
}

/**
 * What a play loses against the best one where points have no scale.
 *
 * @param {{mwc?: number}} best
 * @param {{mwc?: number}} play
 */
export function compareChances(best, play) {
  const lost = Math.max(0, (best.mwc ?? 0) - (play.mwc ?? 0));
  return { loss: measure(null, lost).size, lossSaid: `\u2212${formatPercent(lost, 2)}` };
}

/** Events: `look` (detail: the play to draw, null for none), `make` (detail: the play to carry out). */
export class PlayList extends EventTarget {
  /** @param {{canMake?: boolean, first?: number}} [options] whether plays can be carried out; how many are shown at first */
  constructor({ canMake = true, first = FIRST_SHOWN } = {}) {
    super();
    this.first = first;
    this.canMake = canMake;
    /** @type {ListedPlay[]} */
    this.plays = [];
    /** @type {string | null} */
    this.chosen = null;
    this.isWhole = false;
    this.list = h("ol", { class: "plays" });
    this.more = h("button", { type: "button", class: "plain", hidden: true, onclick: () => this.showAll() });
    this.note = h("p", { class: "small quiet", hidden: true }, text.analyse.noScale);
    this.element = h("div", { class: "play-list" }, this.list, this.more, this.note);
  }

  /** @param {ListedPlay[]} plays */
  show(plays) {
    const focused = this.list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.play : undefined;
    this.plays = plays;
    if (!plays.some(({ play }) => play === this.chosen)) this.chosen = null;
    this.draw();
    if (focused) this.findRow(focused)?.focus();
  }

  clear() {
    this.isWhole = false;
    this.chosen = null;
    this.show([]);
  }

  draw() {
    this.note.hidden = this.plays.every(({ equity }) => equity !== null);
    const compared = this.plays.filter(({ loss }) => loss !== null);
    const others = this.plays.filter(({ loss }) => loss === null);
    const shown = compared.filter((each, place) => this.isWhole || place < this.first || each.isMade);
    const rest = others.filter(({ isMade }) => this.isWhole || isMade || !compared.length);
    this.list.replaceChildren(
      ...shown.map((each) => this.drawRow(each, `${compared.indexOf(each) + 1}.`)),
      ...(compared.length && others.length ? [drawBeyond(compared[0], others.length)] : []),
      ...rest.map((each) => this.drawRow(each, "")));
    this.more.hidden = shown.length + rest.length === this.plays.length;
    this.more.textContent = fill(words.plays.more, { count: this.plays.length });
  }

  showAll() {
    const known = this.list.querySelectorAll(".play-row").length;
    this.isWhole = true;
    this.draw();
    /** @type {HTMLElement | undefined} */ (this.list.querySelectorAll(".play-row")[known])?.focus();
  }

  /**
   * @param {ListedPlay} listed
   * @param {string} rank empty for a play that is not compared with others
   */
  drawRow(listed, rank) {
    const quality = classify(listed.loss);
    const look = () => this.dispatchEvent(new CustomEvent("look", { detail: listed }));
    const lookAway = () => this.dispatchEvent(new CustomEvent("look", { detail: this.findChosen() }));
    const row = h("button", {
      type: "button", class: "play-row", "data-play": listed.play, "aria-pressed": String(this.chosen === listed.play),
      onclick: () => this.choose(listed.play), onmouseenter: look, onmouseleave: lookAway, onfocus: look, onblur: lookAway,
    },
    h("span", { class: "rank number" }, rank),
    h("span", { class: `grade ${quality}`, title: words.qualities[quality] }, words.marks[quality]),
    h("span", { class: "play-name" }, listed.play, listed.isMade && h("em", { class: "made" }, words.plays.made)),
    h("span", { class: "play-equity number" }, listed.equity === null ? "\u2013" : formatSigned(listed.equity)),
    h("span", { class: `play-loss number ${quality}` }, rank === "1." ? "" : listed.lossSaid ?? formatLoss(listed.loss)),
    h("span", { class: "play-chances number" }, ...formatChances(listed)),
    h("span", { class: "unseen" }, words.qualities[quality]));
    const make = this.canMake && h("button", {
      type: "button", class: "plain make", "aria-label": fill(words.plays.makeLabel, { play: listed.play }), title: words.plays.make,
      onclick: () => this.dispatchEvent(new CustomEvent("make", { detail: listed })),
    }, "\u25b6");
    return h("li", { class: quality }, row, make);
  }

  /** @param {string} play */
  choose(play) {
    this.chosen = this.chosen === play ? null : play;
    for (const row of this.list.querySelectorAll(".play-row")) {
      row.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (row).dataset.play === this.chosen));
    }
    this.dispatchEvent(new CustomEvent("look", { detail: this.findChosen() }));
  }

  findChosen() {
    return this.plays.find(({ play }) => play === this.chosen) ?? null;
  }

  /** @param {string} play */
  findRow(play) {
    return /** @type {HTMLElement | undefined} */ ([...this.list.querySelectorAll(".play-row")]
      .find((row) => /** @type {HTMLElement} */ (row).dataset.play === play));
  }
}

/**
 * The line between the plays that are compared and those that were not looked at as deep.
 *
 * @param {ListedPlay} best
 * @param {number} count
 */
function drawBeyond({ depth, se }, count) {
  const said = se === undefined ? words.plays.unsearched : words.plays.notRolledOut;
  return h("li", { class: "beyond small quiet" }, fill(said, { depth, count }));
}

/**
 * The second line of a play: chances of both sides, depth or error.
 *
 * @param {ListedPlay} listed
 */
function formatChances({ chances, depth, mwc, se }) {
  const parts = [];
  if (chances) {
    const [win, gammon, backgammon, loseGammon, loseBackgammon] = chances.map((chance) => formatChance(chance));
    parts.push(fill(words.plays.wins, { win, gammon, backgammon }));
    parts.push(fill(words.plays.losses, { lose: formatChance(1 - chances[0]), gammon: loseGammon, backgammon: loseBackgammon }));
  }
  if (mwc !== undefined && mwc !== null) parts.push(fill(words.plays.mwc, { mwc: formatPercent(mwc, 2) }));
  if (se !== undefined) parts.push(formatInterval(se));
  parts.push(depth);
  return parts.map((part) => h("span", {}, part));
}

/** What the columns and marks mean. */
export function drawPlaysKey() {
  const marks = /** @type {(keyof typeof words.marks)[]} */ (["best", "good", "inaccuracy", "error", "blunder"]);
  return h("p", { class: "key small quiet" },
    h("span", {}, words.plays.key, explain("equity"), explain("gammon")),
    ...marks.map((mark) => h("span", {}, h("span", { class: `grade ${mark}`, "aria-hidden": "true" }, words.marks[mark]), words.qualities[mark])));
}
